import pg from 'pg';

/** The numbers of types in PostgreSQL's catalogue: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

/** How columns are read, so that rows are like those of SQLite: whole numbers as numbers, times as ISO text. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(type, format);
    if (type === INT8 || type === NUMERIC) return Number;
    if (type === TIMESTAMPTZ) return toIsoText;
    return pg.types.getTypeParser(type, format);
  },
};

/** `2026-11-15 07:54:22.12+00`, as a session in UTC writes it; others are converted. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/;

function toIsoText(text: string): string {
  const parts = IN_UTC.exec(text);
  if (parts === null) return new Date(text).toISOString();
  const [, day, time, milliseconds = ''] = parts;
  return `${day}T${time}.${milliseconds.padEnd(3, '0')}Z`;
}

/** PostgreSQL holds no text with a zero in it; nothing of ours is found by one. */
export function toArgument(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}

import pg from 'pg';

/** Type OIDs: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

/** Reads columns as SQLite returns them: integers as numbers, timestamps as ISO text. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(type, format);
    if (type === INT8 || type === NUMERIC) return Number;
    if (type === TIMESTAMPTZ) return toIsoText;
    return pg.types.getTypeParser(type, format);
  },
};

/** `2026-11-15 07:54:22.12+00`, the format of a session in UTC. Others are converted. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/;

function toIsoText(text: string): string {
  const parts = IN_UTC.exec(text);
  if (parts === null) return new Date(text).toISOString();
  const [, day, time, milliseconds = ''] = parts;
  return `${day}T${time}.${milliseconds.padEnd(3, '0')}Z`;
}

/** Replaces NUL, which PostgreSQL does not allow in text. No stored value contains it. */
export function toArgument(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value;
}

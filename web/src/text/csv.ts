/** Includes full-width signs, which some programs take for the ASCII ones. */
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** A table after RFC 4180, in which no cell is a formula. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const line = text.replace(CONTROLS, ' ');
  const inert = FORMULA.test(line) ? `'${line}` : line;
  return `"${inert.replaceAll('"', '""')}"`;
}

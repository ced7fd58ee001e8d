import { styleText } from 'node:util';

/** Colours appear on a terminal only, unless `NO_COLOR`, `TERM=dumb` or `FORCE_COLOR` say otherwise. */
export function heading(text: string, stream: NodeJS.WritableStream): string {
  return styleText('bold', text, { stream });
}

/** The start of an error message, which names the program and the command. */
export function errorPrefix(text: string): string {
  return styleText(['bold', 'red'], text, { stream: process.stderr });
}

import { styleText } from 'node:util';

/**
 * Node colours text only for a stream that is a terminal, and respects `NO_COLOR`, `FORCE_COLOR`
 * and `TERM=dumb`.
 */
export function heading(text: string, stream: NodeJS.WritableStream = process.stdout): string {
  return styleText('bold', text, { stream });
}

/** The start of an error message, which names the program and the command. */
export function errorPrefix(text: string): string {
  return styleText(['bold', 'red'], text, { stream: process.stderr });
}

/** A result on standard output that needs attention. */
export function alarming(text: string): string {
  return styleText(['bold', 'red'], text, { stream: process.stdout });
}

/** From this heat on a tag is a strong trait, or a suspicious one. */
const [STRONG, SUSPICIOUS] = [7, 4];

/** The heat of a tag, in a column of two. */
export function heatText(heat: number): string {
  const text = String(heat).padStart(2);
  if (heat >= STRONG) return alarming(text);
  return heat >= SUSPICIOUS ? styleText('yellow', text, { stream: process.stdout }) : text;
}

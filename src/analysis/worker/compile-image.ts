import { readFileSync, writeSync } from 'node:fs';
import { openRules } from '../rules/rules.ts';

/**
 * The program of a process that compiles rules: it reads them from its standard input and writes
 * the header of their image as a line of JSON, then its memory; nothing if there is no image. It
 * gets no samples.
 */
const OUTPUT_FD = 3;

const image = (await openRules(JSON.parse(readFileSync(0, 'utf8')))).image();
if (image !== undefined) {
  write(Buffer.from(`${JSON.stringify(image.header)}\n`));
  write(image.memory);
}

function write(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(OUTPUT_FD, bytes, written, bytes.length - written);
}

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateFiles } from './generate/files.ts';

/**
 * Writes the files that are made from the code; with `--check` only tells which of them are out of
 * date.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

for (const { path, text } of await generateFiles()) {
  if (readOrNothing(path) === text) continue;
  if (values.check) {
    console.error(`${path} is out of date: run \`npm run openapi\``);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

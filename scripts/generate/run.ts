import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateFiles } from './files.ts';

/**
 * Writes the files that are generated from the code. With `--check` it only lists those that are
 * out of date.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

for (const { path, text } of await generateFiles()) {
  if (readIfExists(path) === text) continue;
  if (values.check) {
    console.error(`${path} is out of date: run \`npm run generate\``);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

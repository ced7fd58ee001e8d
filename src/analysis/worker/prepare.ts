import { readFileSync, statSync, writeSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from '../rules/rule-source.ts';

/**
 * The program of a process that prepares what workers need: it reads rules from its standard input
 * and writes the modules of a worker without types, and an image of the compiled rules. It runs
 * before there are workers and gets no samples.
 */
const OUTPUT_FD = 3;
const SOURCE = new URL('../..', import.meta.url).href;
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const WORKER = new URL(`worker.${EXTENSION}`, import.meta.url).href;

const modules = new Map<string, string>();

// Types are imported above, so that every module is loaded through the hook.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.startsWith(SOURCE)) modules.set(url, withoutTypes(url));
    return loaded;
  },
});

const rules: RuleSource[] = JSON.parse(readFileSync(0, 'utf8'));
const { openRules } = await import('../rules/rules.ts');
const { yaraFiles } = await import('../rules/yara.ts');
await import('./worker-loop.ts');
await import('../engine.ts');
modules.set(WORKER, withoutTypes(WORKER));
const image = (await openRules(rules)).image();
const program = Buffer.from(JSON.stringify({ modules: [...modules] }));
const files = [...[...modules.keys()].map((url) => fileURLToPath(url)), ...yaraFiles()];
const header = {
  node: process.version,
  files: files.map((file) => [file, identityOf(file)]),
  programBytes: program.length,
  image: image?.header,
};
write(Buffer.from(`${JSON.stringify(header)}\n`));
write(program);
if (image !== undefined) write(image.memory);

function withoutTypes(url: string): string {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return url.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}

function identityOf(file: string): string {
  const { size, mtimeMs, ctimeMs } = statSync(file);
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

function write(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(OUTPUT_FD, bytes, written, bytes.length - written);
}

import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Expression } from './find.ts';

/**
 * Digests of the expressions that are known to be linear, because checking all takes half a minute.
 */
const FILE = new URL('checked.txt', import.meta.url);
const DIGEST_LENGTH = 20;

export function digestOf({ source, flags }: Expression): string {
  return hash('sha256', `/${source}/${flags}`).slice(0, DIGEST_LENGTH);
}

export function readChecked(): ReadonlySet<string> {
  return new Set(readFileSync(FILE, 'utf8').split('\n').filter(Boolean));
}

export function writeChecked(expressions: readonly Expression[]): void {
  const digests = new Set(expressions.map(digestOf));
  writeFileSync(FILE, `${[...digests].sort().join('\n')}\n`);
}

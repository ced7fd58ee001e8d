import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A newcomer reads them in this order. */
const PAGES = [
  'README.md',
  'docs/get-started/README.md',
  'docs/get-started/operator.md',
  'docs/get-started/researcher.md',
  'docs/get-started/abuse-desk.md',
  'docs/get-started/soc-team.md',
  'docs/guides/README.md',
  'docs/guides/researcher.md',
  'docs/guides/desk.md',
  'docs/guides/analyst.md',
  'docs/guides/operator.md',
  'docs/guides/coming-from-uncoverit.md',
  'docs/guides/python.md',
];

/**
 * What a block is for: commands to paste, the start of a server that runs on, commands that need
 * Python, or those that are not run.
 */
type BlockKind = 'paste' | 'server' | 'python' | 'other';

export interface Block {
  readonly kind: BlockKind;
  readonly text: string;
}

export interface Page {
  readonly name: string;
  readonly blocks: readonly Block[];
}

export function readPages(): readonly Page[] {
  return PAGES.map((name) => ({ name, blocks: blocksOf(readFileSync(`${ROOT}${name}`, 'utf8')) }));
}

/** The blocks of a page in their order: `sh`, or `sh server` for those with a word. */
function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```sh(?: (\w+))?\n([\s\S]*?)^```/gm)].map(([, word, block = '']) => ({
    kind: kindOf(word),
    text: block,
  }));
}

function kindOf(word: string | undefined): BlockKind {
  if (word === undefined) return 'paste';
  return word === 'server' || word === 'python' ? word : 'other';
}

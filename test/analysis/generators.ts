import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the programs are that make fixtures. */
export const GENERATORS = fileURLToPath(new URL('../fixtures/analysis/generate/', import.meta.url));

/** What stands at the beginning of a line of a module that does something, not only gives something to others. */
const DEED = /^(?:(?:await )?\w+\(|(?:for|if|try) )/m;

/** The scripts and modules in there that make fixtures when they are run, by their paths. */
export function findGenerators(): readonly string[] {
  return globSync('{,families/}*.{py,sh,ts}', { cwd: GENERATORS })
    .filter((file) => {
      const text = readFileSync(`${GENERATORS}${file}`, 'utf8');
      return file.endsWith('.ts') ? DEED.test(text) : text.startsWith('#!');
    })
    .sort();
}

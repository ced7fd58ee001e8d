import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the fixture generators. */
export const GENERATORS = fileURLToPath(new URL('../fixtures/analysis/generate/', import.meta.url));

/** A top-level statement with an effect. Modules without one only export helpers. */
const EFFECT = /^(?:(?:await )?\w+\(|(?:for|if|try) )/m;

/** Paths of the scripts and modules that write fixtures when they run. */
export function findGenerators(): readonly string[] {
  return globSync('{,families/}*.{py,sh,ts}', { cwd: GENERATORS })
    .filter((file) => {
      const text = readFileSync(`${GENERATORS}${file}`, 'utf8');
      return file.endsWith('.ts') ? EFFECT.test(text) : text.startsWith('#!');
    })
    .sort();
}

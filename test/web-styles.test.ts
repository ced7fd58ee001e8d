import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..', 'web', 'src');

interface Use {
  readonly file: string;
  /** Classes named by a literal; a look or a state may also be named by a value. */
  readonly names: ReadonlySet<string>;
  readonly isByValue: boolean;
}

/** The CSS modules, each with the components that import it. */
function usesOfStyles(): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    for (const [, local = '', from = ''] of text.matchAll(
      /^import (\w+) from '(\.[^']+\.module\.css)';$/gm,
    )) {
      const styles = path.join(path.dirname(file), from);
      const names = new Set(
        [...text.matchAll(new RegExp(`\\b${local}\\['([^']+)'\\]`, 'g'))].map(
          ([, name = '']) => name,
        ),
      );
      const isByValue = new RegExp(`\\b${local}\\[[^']`).test(text);
      uses.set(styles, [...(uses.get(styles) ?? []), { file, names, isByValue }]);
    }
  }
  return uses;
}

function classesOf(styles: string): ReadonlySet<string> {
  const text = readFileSync(path.join(ROOT, styles), 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/:global\([^)]*\)/g, '')
    .replaceAll(/\{[^{}]*\}/g, '{}');
  return new Set([...text.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name));
}

const modules = globSync('**/*.module.css', { cwd: ROOT });
const uses = usesOfStyles();

describe('the styles of the web application', () => {
  it('have every class that a component names', () => {
    const missing = [...uses].flatMap(([styles, by]) =>
      by.flatMap(({ file, names }) =>
        [...names].filter((name) => !classesOf(styles).has(name)).map((name) => `${file}: ${name}`),
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('have no class that no component names', () => {
    const unused = modules.flatMap((styles) => {
      const by = uses.get(styles) ?? [];
      if (by.some(({ isByValue }) => isByValue)) return [];
      return [...classesOf(styles)]
        .filter((name) => !by.some(({ names }) => names.has(name)))
        .map((name) => `${styles}: ${name}`);
    });
    assert.deepEqual(unused, []);
  });

  it('take colours from the tokens', () => {
    const stray = modules.flatMap((styles) =>
      [
        ...readFileSync(path.join(ROOT, styles), 'utf8').matchAll(
          /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(/gi,
        ),
      ].map(([colour]) => `${styles}: ${colour}`),
    );
    assert.deepEqual(stray, []);
  });
});

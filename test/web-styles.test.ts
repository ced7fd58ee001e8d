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

const TOKENS = 'design/tokens.css';
const modules = globSync('**/*.module.css', { cwd: ROOT });
const sheets = globSync('**/*.css', { cwd: ROOT }).filter((sheet) => sheet !== TOKENS);
const files = globSync('**/*.{ts,tsx}', { cwd: ROOT });
const uses = usesOfStyles();

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function matchesOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([all, group]) => group ?? all);
}

/** The literals in sheets that match, media queries aside: these cannot use tokens. */
function strayIn(from: readonly string[], pattern: RegExp): readonly string[] {
  return from.flatMap((sheet) =>
    matchesOf(read(sheet).replaceAll(/@media[^{]*/g, ''), pattern).map(
      (literal) => `${sheet}: ${literal}`,
    ),
  );
}

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

  it('take colours from the tokens', () =>
    assert.deepEqual(strayIn(sheets, /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(/gi), []));

  it('take lengths in pixels from the tokens', () =>
    assert.deepEqual(strayIn(sheets, /(?<![\w.-])-?[\d.]+px\b/g), []));

  it('take widths of columns from the tokens', () => {
    const widths = strayIn(files, /\bwidth: [^\n]*'/g);
    assert.ok(widths.length > 30, 'columns are found');
    assert.deepEqual(
      widths.filter((width) => /\dpx\b/.test(width)),
      [],
    );
  });

  it('take sizes of text and radii from the tokens, or relate them to others', () => {
    const literal = /(?<=\s)(?:font-size|border-radius): (?!var\(|inherit;|50%;|0;)[^;]+/g;
    assert.deepEqual(strayIn(sheets, literal), []);
  });

  it('use tokens that exist', () => {
    const set = files.flatMap((file) => matchesOf(read(file), /setProperty\('(--[\w-]+)'/g));
    const declared = new Set([
      ...[TOKENS, ...sheets].flatMap((sheet) => matchesOf(read(sheet), /(--[\w-]+):/g)),
      ...set,
    ]);
    const unknown = [TOKENS, ...sheets, ...files].flatMap((sheet) =>
      matchesOf(read(sheet), /var\((--[\w-]+)/g)
        .filter((name) => !declared.has(name))
        .map((name) => `${sheet}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('ask for the widths of the screen that the tokens list', () => {
    const listed = new Set(matchesOf(read(TOKENS), /^ \* {3}(\d+px) /gm));
    assert.equal(listed.size, 6);
    const queries = [TOKENS, ...sheets, ...files].flatMap((file) =>
      matchesOf(read(file), /(?:@media|matchMedia\(['"`])([^{'"`]*)/g).map((query) => ({
        file,
        query,
      })),
    );
    const stray = queries.flatMap(({ file, query }) =>
      matchesOf(query, /\(([^()]*(?:width|height)[^()]*)\)/g)
        .filter((one) => !listed.has(one.replace(/^width (?:<|>=) /, '')))
        .map((one) => `${file}: ${one}`),
    );
    assert.deepEqual(stray, []);
    assert.ok(queries.length > 40, 'media queries are found');
  });
});

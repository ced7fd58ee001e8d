import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Words with several meanings in one code base. Section 5 of the conventions has better ones. */
const BANNED = new Set(['place', 'wish', 'hole', 'lane', 'spot', 'bury', 'chore']);
const COMMENT_WIDTH = 100;
const FILES_PER_FOLDER = 30;
/** Folders with one file that stand beside others of their kind. */
const ADAPTERS: readonly { readonly folder: RegExp; readonly reason: string }[] = [
  {
    folder: /^src\/(?:domain|operations|ports|storage\/(?:tables|transactions))\/[^/]+$/,
    reason: 'a noun has the same folder in every layer',
  },
  { folder: /^src\/cli\/samples$/, reason: 'a folder per noun, as in the other layers' },
];

const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const WORD_BREAK = /(?<=[\p{Ll}\d])(?=\p{Lu})|_/u;

/** Comments, strings and regular expressions are blanked; the code inside `${}` remains. */
function codeOf(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/`(?:[^`\\]|\\.)*`/g, (template) =>
      [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(' '),
    );
}

function bannedNames(source: string): readonly string[] {
  const names = codeOf(source).match(IDENTIFIER) ?? [];
  const isBanned = (name: string) =>
    name.split(WORD_BREAK).some((word) => BANNED.has(word.toLowerCase().replace(/s$/, '')));
  return [...new Set(names)].filter(isBanned);
}

const COMMENT_LINE = /^\s*(?:\/\/|\/\*\*?|\*)(?:\s|$)/;

function wideComments(source: string): readonly number[] {
  return source
    .split('\n')
    .flatMap((line, index) =>
      COMMENT_LINE.test(line) && line.length > COMMENT_WIDTH && !line.includes('://')
        ? [index + 1]
        : [],
    );
}

const root = fileURLToPath(new URL('..', import.meta.url));
const isFixture = (name: string) =>
  ['node_modules', 'fixtures', 'golden', 'dist'].includes(basename(name));
const paths = globSync('{src,test,bench,scripts,web}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: isFixture,
}).sort();

const TEST = /\.(?:long-|browser-)?test\.tsx?$/;

/** The folders above a folder. */
function ancestors(folder: string): readonly string[] {
  const above = posix.dirname(folder);
  return above === '.' ? [] : [above, ...ancestors(above)];
}

describe('the names in the code', () => {
  it('avoid words with several meanings', () => {
    const found = paths.flatMap((path) =>
      bannedNames(readFileSync(`${root}${path}`, 'utf8')).map((name) => `${path}: ${name}`),
    );
    assert.deepEqual(found, []);
  });

  it('are taken from identifiers, not from comments or strings', () => {
    assert.deepEqual(bannedNames('const placeOf = replace(hole);'), ['placeOf', 'hole']);
    assert.deepEqual(bannedNames('const MAX_PLACES = aWish.spots;'), [
      'MAX_PLACES',
      'aWish',
      'spots',
    ]);
    assert.deepEqual(bannedNames('// a place\n/* lane */ f(\'hole\', "spot", `wish`);'), []);
    const template = ['`$', '{chore} is code`'].join('');
    assert.deepEqual(bannedNames(`f(${template}); displaced(placeholder);`), ['chore']);
  });
});

describe('the comments', () => {
  it(`have lines of at most ${COMMENT_WIDTH} columns`, () => {
    const found = paths.flatMap((path) =>
      wideComments(readFileSync(`${root}${path}`, 'utf8')).map((line) => `${path}:${line}`),
    );
    assert.deepEqual(found, []);
  });

  it('are measured whatever their form', () => {
    const wide = 'x'.repeat(COMMENT_WIDTH);
    assert.deepEqual(
      wideComments(`// ${wide}\n/** ${wide} */\n * ${wide}\ncode(${wide})`),
      [1, 2, 3],
    );
  });
});

describe('the lists of a caller', () => {
  it('have the schema that counts them first', () => {
    const files = paths.filter(
      (path) =>
        /^src\/http\/(?:requests|routes)\/.*(?<!\.test|bounded-list)\.ts$/.test(path) &&
        /\bz\s*\.array\(|\.array\(\)/.test(readFileSync(`${root}${path}`, 'utf8')),
    );
    assert.deepEqual(files, [], 'use listOf instead of z.array');
  });
});

describe('the folders', () => {
  const files = globSync('{src,test,bench,scripts,web}/**/*', { cwd: root, exclude: isFixture });
  const folders = new Map<string, string[]>();
  for (const path of files.filter((each) => statSync(`${root}${each}`).isFile())) {
    const folder = posix.dirname(path);
    // The tests of the source stand beside it.
    if (folder.startsWith('test') || !TEST.test(path))
      folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  const divided = new Set([...folders.keys()].flatMap(ancestors));

  it('hold more than one file each, or are divided', () => {
    const single = [...folders]
      .filter(([folder, own]) => own.length === 1 && !divided.has(folder))
      .map(([folder]) => folder)
      .filter((folder) => /^(?:src|web\/src|test)\//.test(folder));
    const isAdapter = (name: string) => ADAPTERS.some(({ folder }) => folder.test(name));
    assert.deepEqual(
      single.filter((name) => !isAdapter(name)),
      [],
      'move the file to its neighbours',
    );
  });

  it(`are named here if they hold more than ${FILES_PER_FOLDER} files`, (test) => {
    for (const [folder, own] of folders)
      if (own.length > FILES_PER_FOLDER)
        test.diagnostic(`${folder} holds ${own.length} files: does it want to be divided?`);
  });
});

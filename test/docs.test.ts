import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { EXPORTERS } from '../src/exports/index.ts';

const ROOT = join(import.meta.dirname, '..');

const documents = globSync(['*.md', 'docs/**/*.md', 'clients/*/*.md'], { cwd: ROOT }).sort();

const decisionFiles = readdirSync(join(ROOT, 'docs/decisions'))
  .filter((file) => file !== 'README.md')
  .sort();

/** About half a page of text; a longer decision holds two. */
const MAX_DECISION_LINES = 50;
const MAX_COLUMNS = 120;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The text without code, in which brackets are not links. */
function prose(text: string): string {
  return text.replace(/^(```+)[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of links and images within the repository. */
function relativeLinks(text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** The anchors of the headings, as code hosting sites generate them. */
function anchors(text: string): readonly string[] {
  const withoutCode = text.replace(/^(```+)[\s\S]*?^\1$/gm, '');
  return [...withoutCode.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(document: string): readonly string[] {
  const text = read(document);
  return relativeLinks(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : relative(ROOT, resolve(ROOT, dirname(document), path));
    if (target.startsWith('..') || !existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchors(read(target)).includes(anchor);
  });
}

/** The invented files of the guides, and placeholders. */
const INVENTED = /lantern|count-reports|feed-count|NNNN|<|\*|src\/exports/;

function missingPaths(text: string): readonly string[] {
  const withoutBlocks = text.replace(/^ *(```+)[\s\S]*?^ *\1$/gm, '');
  return [
    ...withoutBlocks.matchAll(/`((?:src|test|scripts|rules|migrations|deploy|bench)\/[^`\s]*)`/g),
  ]
    .map(([, path = '']) => path)
    .filter((path) => !INVENTED.test(path) && !existsSync(join(ROOT, path)));
}

describe('the documents', () => {
  for (const document of documents) {
    it(`have no broken link in ${document}`, () => {
      assert.deepEqual(brokenLinks(document), []);
    });
  }

  for (const document of documents) {
    it(`name only files and folders that exist in ${document}`, () => {
      assert.deepEqual(missingPaths(read(document)), []);
    });
  }

  it('say in the README how to start and how to test, each on a line of its own', () => {
    const lines = read('README.md').split('\n');
    assert.ok(lines.includes('npm ci && npm start'));
    assert.ok(lines.includes('npm ci && npm test'));
  });

  it('have every decision in the index, once', () => {
    assert.deepEqual([...relativeLinks(read('docs/decisions/README.md'))].sort(), decisionFiles);
    assert.ok(decisionFiles.every((file) => /^\d{4}-[a-z0-9-]+\.md$/.test(file)));
  });

  it('give each decision a number of its own and the same three parts', () => {
    for (const file of decisionFiles) {
      const headings = [...read(`docs/decisions/${file}`).matchAll(/^#+ .+$/gm)].map(String);
      assert.ok(headings[0]?.startsWith(`# ${file.slice(0, 4)}. `), file);
      assert.deepEqual(headings.slice(1), ['## Context', '## Decision', '## What we give up']);
    }
    assert.equal(new Set(decisionFiles.map((file) => file.slice(0, 4))).size, decisionFiles.length);
  });

  for (const file of decisionFiles) {
    it(`keep the decision ${file} to a page`, () => {
      const lines = read(`docs/decisions/${file}`).split('\n');
      assert.ok(lines.length <= MAX_DECISION_LINES, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => line.length > MAX_COLUMNS && !line.startsWith('|')),
        [],
      );
    });
  }

  it('keep the README to 150 lines', () => {
    assert.ok(read('README.md').split('\n').length <= 151);
  });

  it('quote only messages that the program prints in docs/operations/moving.md', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const [, table = ''] = read('docs/operations/moving.md').split('| message');
    const messages = [...table.matchAll(/^\| (.+?) \|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
      .flatMap(([, message = '']) => message.split('…'))
      .map((message) => message.replace('LATIN1', '').trim());
    assert.ok(messages.length > 10);
    assert.deepEqual(
      messages.filter((message) => !sources.includes(message)),
      [],
    );
  });

  it('list every format of exports in docs/operations/feeds.md', () => {
    const [, table = ''] = read('docs/operations/feeds.md').split('| format | file |');
    const [rows = ''] = table.split('\n\n');
    const cells = [...rows.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
    const listed = cells.join(', ').replaceAll('`', '').split(', ').sort();
    assert.deepEqual(listed, EXPORTERS.map(({ format }) => format).sort());
  });

  it('have a changelog with an unreleased section on top', () => {
    const sections = [...read('CHANGELOG.md').matchAll(/^## .+$/gm)].map(String);
    assert.equal(sections[0], '## [Unreleased]');
  });
});

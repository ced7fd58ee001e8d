import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).sort();

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Without code, where brackets mean something else. */
function prose(text: string): string {
  return text.replace(/^(```+)[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The targets of links and pictures that stay within the tree. */
function relativeLinks(text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** The names under which a page's headings can be reached, as code hosting sites make them. */
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

describe('the documents', () => {
  for (const document of documents) {
    it(`have no broken link in ${document}`, () => {
      assert.deepEqual(brokenLinks(document), []);
    });
  }

  it('say in the README how to start and how to test, each on a line of its own', () => {
    const lines = read('README.md').split('\n');
    assert.ok(lines.includes('npm ci && npm start'));
    assert.ok(lines.includes('npm ci && npm test'));
  });

  it('have every decision in the index, once and in order', () => {
    const decisions = readdirSync(join(ROOT, 'docs/decisions'))
      .filter((file) => file !== 'README.md')
      .sort();
    assert.deepEqual(relativeLinks(read('docs/decisions/README.md')), decisions);
    assert.ok(decisions.every((file) => /^\d{4}-[a-z0-9-]+\.md$/.test(file)));
  });

  it('give each decision a number of its own and the same three parts', () => {
    for (const [index, file] of readdirSync(join(ROOT, 'docs/decisions')).sort().entries()) {
      if (file === 'README.md') continue;
      const headings = [...read(`docs/decisions/${file}`).matchAll(/^#+ .+$/gm)].map(String);
      const number = String(index + 1).padStart(4, '0');
      assert.ok(headings[0]?.startsWith(`# ${number}. `), file);
      assert.deepEqual(headings.slice(1), ['## Context', '## Decision', '## What we give up']);
    }
  });

  it('have a changelog with an unreleased section on top', () => {
    const sections = [...read('CHANGELOG.md').matchAll(/^## .+$/gm)].map(String);
    assert.equal(sections[0], '## [Unreleased]');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { EXIT } from '../../src/cli/command.ts';
import { groups } from '../../src/cli/commands/index.ts';
import { allCommands } from '../../src/cli/help/find.ts';

const text = readFileSync(
  new URL('../../docs/operations/command-line.md', import.meta.url),
  'utf8',
);

const entries = allCommands(groups);
const commands = await Promise.all(entries.map(({ load }) => load()));

describe('the page of the command line', () => {
  it('names the commands as the program does', () => {
    assert.deepEqual(
      entries.map(({ name }) => name),
      commands.map(({ name }) => name),
    );
  });

  it('lists every command in the order of the help, and no other', () => {
    const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(
      headings,
      commands.map(({ name }) => name),
    );
  });

  it('shows each command with its help text', () => {
    const shown = [...text.matchAll(/^```\n(.+)\n```$/gm)].map(([, line]) => line);
    assert.deepEqual(
      shown,
      commands.map(({ name, usage }) => `rapsheet ${name} ${usage}`.trimEnd()),
    );
  });

  it('lists the commands with --output', () => {
    const [, listed = ''] = /^These commands have `--output`: ([^.]*)\.$/m.exec(text) ?? [];
    const found = commands.filter(({ options }) => options?.['output'] !== undefined);
    assert.deepEqual(
      [...listed.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      found.map(({ name }) => name),
    );
  });

  it('lists every exit code', () => {
    const codes = [...text.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
    assert.deepEqual(codes, Object.values(EXIT));
  });
});

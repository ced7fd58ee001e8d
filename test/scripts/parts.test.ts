import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
/** The scripts whose first argument names a part. */
const WITH_PARTS = ['bench', 'check', 'dev', 'generate', 'trial'];
const OTHERS = ['attack', 'fuzz', 'screenshots', 'test', 'torture'];
const SCREEN = { lines: 50, columns: 120 };

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const programOf = (script: string) => /^node (\S+\.ts)$/.exec(scripts[script])?.[1] ?? '';

function run(script: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [programOf(script), ...args], { cwd: ROOT, encoding: 'utf8' });
}

describe('the scripts of package.json', () => {
  const helps = new Map<string, string>();

  for (const script of [...WITH_PARTS, ...OTHERS]) {
    it(`have a help of one screen: ${script}`, () => {
      const { status, stdout } = run(script, '--help');
      helps.set(script, stdout);
      const lines = stdout.trimEnd().split('\n');
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`^npm (?:run )?${script} `));
      assert.ok(lines.length <= SCREEN.lines, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => line.length > SCREEN.columns),
        [],
      );
    });
  }

  for (const script of WITH_PARTS) {
    it(`name their parts instead of an unknown one: ${script}`, () => {
      const { status, stdout, stderr } = run(script, 'nonsense');
      const [, listed = ''] = /there is no part "nonsense"; the parts are (.+)/.exec(stderr) ?? [];
      const parts = [...(helps.get(script) ?? '').matchAll(/^ {2}(\S+) {2}/gm)];
      assert.deepEqual([status, stdout], [1, '']);
      assert.deepEqual(
        listed.split(', '),
        parts.map(([, name]) => name),
      );
    });

    it(`lead to programs that exist: ${script}`, () => {
      const text = readFileSync(join(ROOT, programOf(script)), 'utf8');
      const programs = [...text.matchAll(/program\(\s*'([^']+)'/g)].map(([, path = '']) => path);
      assert.deepEqual(
        programs.filter((path) => !existsSync(join(ROOT, path))),
        [],
      );
    });
  }

  it('need a part where none is usual', () => {
    const { status, stderr } = run('trial');
    assert.equal(status, 1);
    assert.match(stderr, /^trial: a part is missing; the parts are cross-check, /);
  });

  it('pass the arguments on to the part', () => {
    const { status, stderr } = run('generate', 'fixtures', 'no-such-fixture', '--list');
    assert.deepEqual([status, stderr], [1, 'no generator matches\n']);
  });
});

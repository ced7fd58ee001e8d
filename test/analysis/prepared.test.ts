import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import type { RuleSource } from '../../src/analysis/rules/rule-source.ts';
import { openRules, restoreRules } from '../../src/analysis/rules/rules.ts';
import { openPrepared } from '../../src/analysis/worker/prepared.ts';
import { fixture } from './fixture.ts';

const parent = mkdtempSync(join(tmpdir(), 'rapsheet-prepared-'));
after(() => rmSync(parent, { recursive: true }));

const RULES: readonly RuleSource[] = [
  { name: 'words', text: 'rule hello { strings: $a = "hello" condition: $a }', ours: false },
];

function folderOf(name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Prepares something small that depends on a file, and counts how often it is asked for. */
function preparation() {
  const source = join(parent, `source-${Math.random()}`);
  writeFileSync(source, 'first');
  let runs = 0;
  const prepare = async () => {
    runs += 1;
    const { size, mtimeMs, ctimeMs } = statSync(source);
    const header = {
      node: process.version,
      files: [[source, `${size} ${mtimeMs} ${ctimeMs}`]],
      programBytes: 4,
    };
    return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\ncode`)]);
  };
  return { source, prepare, runs: () => runs };
}

function onlyFile(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  return join(folder, name);
}

describe('what is prepared for workers', () => {
  it('is prepared once, and stored for its owner alone', async () => {
    const folder = folderOf('once');
    const { prepare, runs } = preparation();
    for (let turn = 0; turn < 3; turn += 1) {
      const { program } = (await openPrepared(RULES, { folder, prepare })) ?? {};
      assert.equal(program?.toString(), 'code');
    }
    assert.equal(runs(), 1);
    assert.equal(statSync(onlyFile(folder)).mode & 0o777, 0o600);
    await openPrepared([], { folder, prepare });
    assert.equal(runs(), 2, 'other rules');
  });

  it('is prepared again if a file has changed that it was made of', async () => {
    const folder = folderOf('changed');
    const { source, prepare, runs } = preparation();
    await openPrepared(RULES, { folder, prepare });
    utimesSync(source, 1, 1);
    await openPrepared(RULES, { folder, prepare });
    assert.equal(runs(), 2);
    await openPrepared(RULES, { folder, prepare });
    assert.equal(runs(), 2);
  });

  const damages: readonly [string, (file: string) => void][] = [
    ['is cut', (file) => truncateSync(file, statSync(file).size - 1)],
    ['is empty', (file) => truncateSync(file)],
    [
      'has a changed byte',
      (file) => writeFileSync(file, readFileSync(file, 'latin1').replace('code', 'c0de')),
    ],
    ['is of something else', (file) => writeFileSync(file, 'text\n{}\n')],
  ];
  for (const [name, damage] of damages)
    it(`is prepared again if the stored file ${name}`, async () => {
      const folder = folderOf(name);
      const { prepare, runs } = preparation();
      await openPrepared(RULES, { folder, prepare });
      damage(onlyFile(folder));
      assert.equal((await openPrepared(RULES, { folder, prepare }))?.program.toString(), 'code');
      assert.equal(runs(), 2);
    });

  it('is neither read from nor written to a folder that others may write to', async () => {
    const folder = folderOf('open');
    const { prepare, runs } = preparation();
    await openPrepared(RULES, { folder, prepare });
    chmodSync(folder, 0o777);
    assert.equal(await openPrepared(RULES, { folder, prepare }), undefined);
    assert.equal(runs(), 1);
  });

  it('is removed if it is older than what was prepared for four other sets of rules', async () => {
    const folder = folderOf('many');
    const { prepare, runs } = preparation();
    writeFileSync(join(folder, 'other'), 'of another program');
    writeFileSync(join(folder, `worker-${'0'.repeat(64)}.${'0'.repeat(12)}`), 'cut off by a crash');
    const sets = Array.from({ length: 5 }, (_, set) => [{ name: `${set}`, text: '', ours: false }]);
    for (const [set, rules] of sets.entries()) {
      const before = readdirSync(folder);
      await openPrepared(rules, { folder, prepare });
      const added = readdirSync(folder).find((name) => !before.includes(name)) ?? '';
      utimesSync(join(folder, added), 1000 + set, 1000 + set);
      if (set === 0) utimesSync(join(folder, `worker-${'0'.repeat(64)}.${'0'.repeat(12)}`), 1, 1);
    }
    assert.equal(readdirSync(folder).length, 5);
    assert.ok(readdirSync(folder).includes('other'));
    assert.equal(runs(), 5);
    for (const rules of sets.slice(1)) await openPrepared(rules, { folder, prepare });
    assert.equal(runs(), 5);
  });

  it('may be impossible, which is no failure', async () => {
    const folder = join(folderOf('file'), 'a-file');
    writeFileSync(folder, '');
    assert.equal(await openPrepared(RULES, { folder }), undefined);
  });

  it('contains the modules of a worker without types, and rules that match as if compiled', async () => {
    const rules = [...loadRuleSources().sources, ...RULES];
    const prepared = await openPrepared(rules, { folder: folderOf('whole') });
    const { modules } = JSON.parse(prepared?.program.toString() ?? '{}');
    const [url, text] = modules.find(([one]: [string]) => one.endsWith('/worker/worker.ts'));
    assert.equal(url, new URL('../../src/analysis/worker/worker.ts', import.meta.url).href);
    assert.match(text, /^import \{ openEngine \} from/);
    assert.ok(prepared?.image);
    const restored = await restoreRules(prepared.image);
    const compiled = await openRules(rules);
    const names = ['pe/injector', 'dotnet/loader', 'elf/plain-arm', 'pe/hello32'];
    const files = [...names.map((name) => fixture(`analysis/${name}`)), Buffer.from('hello')];
    for (let turn = 0; turn < 20; turn += 1) {
      const file = files[turn % files.length] ?? Buffer.alloc(0);
      assert.deepEqual(restored.scan(file), compiled.scan(file));
    }
    assert.equal(restored.scan(Buffer.from('hello')).length, 1);
  });

  it('names the rules that were skipped', async () => {
    const bad: RuleSource = { name: 'bad', text: 'no rule', ours: false };
    const compiled = await openRules([...RULES, bad]);
    const image = compiled.image();
    assert.ok(image);
    const restored = await restoreRules(image);
    assert.equal(restored.problems.length, 1);
    assert.deepEqual(restored.problems, compiled.problems);
    assert.equal(restored.scan(Buffer.from('hello')).length, 1);
  });
});

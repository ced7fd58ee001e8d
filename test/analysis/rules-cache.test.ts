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
import { openImage } from '../../src/analysis/worker/rules-cache.ts';
import { fixture } from './fixture.ts';

const parent = mkdtempSync(join(tmpdir(), 'rapsheet-images-'));
after(() => rmSync(parent, { recursive: true }));

const RULES: readonly RuleSource[] = [
  { name: 'words', text: 'rule hello { strings: $a = "hello" condition: $a }', ours: false },
];

function folderOf(name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Stands for compiling, and counts how often it is asked for. */
function compilation() {
  let runs = 0;
  const compile = async () => {
    runs += 1;
    return Buffer.from('{"scanner":7}\nmemory');
  };
  return { compile, runs: () => runs };
}

function onlyFile(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  return join(folder, name);
}

describe('the image of compiled rules', () => {
  it('is compiled once for each set of rules, and stored with mode 0600', async () => {
    const folder = folderOf('once');
    const { compile, runs } = compilation();
    for (let round = 0; round < 3; round += 1) {
      const image = await openImage(RULES, { folder, compile });
      assert.equal(image?.header.scanner, 7);
      assert.equal(Buffer.from(image?.memory ?? []).toString(), 'memory');
    }
    assert.equal(runs(), 1);
    assert.equal(statSync(onlyFile(folder)).mode & 0o777, 0o600);
    await openImage([], { folder, compile });
    assert.equal(runs(), 2, 'other rules');
  });

  const damages: readonly [string, (file: string) => void][] = [
    ['is cut', (file) => truncateSync(file, statSync(file).size - 1)],
    ['is empty', (file) => truncateSync(file)],
    [
      'has a changed byte',
      (file) => writeFileSync(file, readFileSync(file, 'latin1').replace('memory', 'memorx')),
    ],
    ['is of something else', (file) => writeFileSync(file, 'text\n{}\n')],
  ];
  for (const [name, damage] of damages)
    it(`is compiled again if the stored file ${name}`, async () => {
      const folder = folderOf(name);
      const { compile, runs } = compilation();
      await openImage(RULES, { folder, compile });
      damage(onlyFile(folder));
      const image = await openImage(RULES, { folder, compile });
      assert.equal(Buffer.from(image?.memory ?? []).toString(), 'memory');
      assert.equal(runs(), 2);
    });

  it('is neither read from nor written to a folder that others may write to', async () => {
    const folder = folderOf('open');
    const { compile, runs } = compilation();
    await openImage(RULES, { folder, compile });
    chmodSync(folder, 0o777);
    assert.equal(await openImage(RULES, { folder, compile }), undefined);
    assert.equal(runs(), 1);
  });

  it('is removed if it is older than those of four other sets of rules', async () => {
    const folder = folderOf('many');
    const { compile, runs } = compilation();
    const cut = `rules-${'0'.repeat(64)}.${'0'.repeat(12)}`;
    writeFileSync(join(folder, 'other'), 'of another program');
    writeFileSync(join(folder, cut), 'cut off by a crash');
    const sets = Array.from({ length: 5 }, (_, set) => [{ name: `${set}`, text: '', ours: false }]);
    for (const [set, rules] of sets.entries()) {
      const before = readdirSync(folder);
      await openImage(rules, { folder, compile });
      const added = readdirSync(folder).find((name) => !before.includes(name)) ?? '';
      utimesSync(join(folder, added), 1000 + set, 1000 + set);
      if (set === 0) utimesSync(join(folder, cut), 1, 1);
    }
    assert.equal(readdirSync(folder).length, 5);
    assert.ok(readdirSync(folder).includes('other'));
    assert.equal(runs(), 5);
    for (const rules of sets.slice(1)) await openImage(rules, { folder, compile });
    assert.equal(runs(), 5);
  });

  it('may be impossible, which is no failure', async () => {
    const folder = join(folderOf('file'), 'a-file');
    writeFileSync(folder, '');
    assert.equal(await openImage(RULES, { folder }), undefined);
  });

  it('matches as the rules that were compiled', async () => {
    const rules = [...loadRuleSources().sources, ...RULES];
    const image = await openImage(rules, { folder: folderOf('whole') });
    assert.ok(image);
    const restored = await restoreRules(image);
    const compiled = await openRules(rules);
    const names = ['pe/injector', 'dotnet/loader', 'elf/plain-arm', 'pe/hello32'];
    const files = [...names.map((name) => fixture(`analysis/${name}`)), Buffer.from('hello')];
    for (let round = 0; round < 20; round += 1) {
      const file = files[round % files.length] ?? Buffer.alloc(0);
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

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fixture } from '../../../test/analysis/fixture.ts';
import { loadRuleSources } from './rule-files.ts';
import type { RuleSource } from './rule-source.ts';
import { openRules, type RuleMatch, ruleTags } from './rules.ts';

function source(name: string, text: string): RuleSource {
  return { name, text, ours: false };
}

const HELLO =
  'rule hello : greeting first { meta: heat = 7 tag = "HELLO" deep = true strings: $a = "hello" condition: $a }';

describe('rules', () => {
  it('report matches with tags, meta and the first offset', async () => {
    const rules = await openRules([source('ours/words', HELLO)]);
    assert.deepEqual(rules.scan(Buffer.from('well, hello, hello')), [
      {
        rule: 'hello',
        namespace: 'ours/words',
        tags: ['greeting', 'first'],
        meta: { heat: 7, tag: 'HELLO', deep: true },
        offset: 6,
      },
    ]);
    rules.close();
  });

  it('keep no state between scans', async () => {
    const rules = await openRules([source('words', HELLO)]);
    assert.equal(rules.scan(Buffer.from('hello')).length, 1);
    assert.deepEqual(rules.scan(Buffer.from('nothing')), []);
    assert.deepEqual(rules.scan(Buffer.alloc(0)), []);
    assert.equal(rules.scan(Buffer.from('hello')).length, 1);
    rules.close();
  });

  it('return equal results for repeated scans, and retain no memory', async () => {
    const rules = await openRules(loadRuleSources().sources);
    const files = ['pe/injector', 'dotnet/loader', 'elf/plain-arm'].map((name) =>
      fixture(`analysis/${name}`),
    );
    const first = files.map((file) => rules.scan(file));
    for (let round = 0; round < 100; round += 1)
      assert.deepEqual(rules.scan(files[round % 3] ?? Buffer.alloc(0)), first[round % 3]);
    rules.close();
  });

  it('match without an offset if the condition needs no pattern, and hide private rules', async () => {
    const text = `import "pe"
      private rule inner { condition: filesize < 10 }
      rule outer { condition: inner and not pe.is_pe }`;
    const rules = await openRules([source('sizes', text)]);
    assert.deepEqual(rules.scan(Buffer.from('x')), [
      { rule: 'outer', namespace: 'sizes', tags: [], meta: {} },
    ]);
    rules.close();
  });

  it('report no offset of a private pattern', async () => {
    const text = 'rule a { strings: $a = "first" private $b = "then" condition: all of them }';
    const rules = await openRules([source('one', text)]);
    assert.equal(rules.scan(Buffer.from('first then'))[0]?.offset, 6);
    rules.close();
  });

  it('may have the same name in two files', async () => {
    const rules = await openRules([source('one', HELLO), source('two', HELLO)]);
    const matches = rules.scan(Buffer.from('hello'));
    assert.deepEqual(
      matches.map(({ namespace }) => namespace),
      ['one', 'two'],
    );
    rules.close();
  });

  it('of an invalid file are skipped and reported with file, line and reason; the others work', async () => {
    const rules = await openRules([
      source('bad/pattern', 'rule a { condition: true }\nrule b { condition: $b }'),
      source('words', HELLO),
      source('bad/syntax', 'this is no rule'),
      source('bad/include', 'include "/etc/passwd"\nrule c { condition: true }'),
      source('bad/module', 'import "nothing"\nrule d { condition: true }'),
    ]);
    assert.equal(rules.problems.length, 4);
    assert.equal(rules.problems[0], 'bad/pattern, line 2: error[E025]: unknown pattern `$b`');
    assert.match(rules.problems[1] ?? '', /^bad\/syntax, line 1: error/);
    assert.match(rules.problems[2] ?? '', /^bad\/include, line 1: error/);
    assert.match(rules.problems[3] ?? '', /^bad\/module, line 1: error/);
    assert.deepEqual(
      rules.scan(Buffer.from('hello')).map(({ rule }) => rule),
      ['hello'],
    );
    rules.close();
  });

  it('with a common pattern do not share conditions', async () => {
    const asks = [
      'uint16(0) == 0x5a4d and $a',
      'filesize < 5 and $a',
      '$a at 0',
      'uint32(0) == 0x464c457f and any of them',
    ];
    for (const ask of asks) {
      const text = `rule first { strings: $a = "VirtualAlloc" condition: ${ask} }
        rule second { meta: note = "condition: none" strings: $a = "VirtualAlloc" // condition: none
          condition: $a }`;
      const rules = await openRules([source('one', text), source('two', text)]);
      const matches = rules.scan(Buffer.from('some VirtualAlloc'));
      assert.deepEqual(
        matches.map(({ rule, meta }) => [rule, meta['note']]),
        [
          ['second', 'condition: none'],
          ['second', 'condition: none'],
        ],
        ask,
      );
      rules.close();
    }
  });

  it('may be absent', async () => {
    const rules = await openRules([]);
    assert.deepEqual(rules.scan(Buffer.from('hello')), []);
    rules.close();
  });

  it('with slow patterns are reported by file and line, and still work', async () => {
    const slow = 'rule slow {\n  strings: $a = /x.*y.*z{500,}/s\n  condition: $a }';
    const rules = await openRules([source('words', HELLO), source('local/slow', slow)]);
    assert.deepEqual(rules.problems, []);
    assert.match(rules.warnings.join('\n'), /^local\/slow, line 2: warning\[slow_pattern\]/m);
    assert.deepEqual(rules.scan(Buffer.alloc(4000, 'xyz')), []);
    rules.close();
  });

  it('limit the objects for a file of one repeated word', async () => {
    const rules = await openRules([source('words', HELLO)]);
    assert.equal(rules.scan(Buffer.alloc(5_000_000, 'hello')).length, 1);
    rules.close();
  });
});

describe('the tags of a match', () => {
  function tagsOf(meta: RuleMatch['meta'], rule = 'some_rule') {
    return ruleTags({ rule, namespace: 'n', tags: [], meta }).map(({ name, heat }) => [name, heat]);
  }

  it('include the one that the rule names, at its heat', () => {
    assert.deepEqual(tagsOf({ tag: 'AMSI_BYPASS', heat: 7 }), [['AMSI_BYPASS', 7]]);
    assert.deepEqual(
      ruleTags({
        rule: 'r',
        namespace: 'n',
        tags: [],
        meta: { tag: 'X', description: 'says why' },
      }),
      [{ name: 'X', heat: 5, note: 'says why' }],
    );
  });

  it('include the family at heat 9, and the tag of the rule', () => {
    assert.deepEqual(tagsOf({ family: 'xworm', tag: 'RAT', heat: 1 }), [
      ['XWORM', 9],
      ['RAT', 1],
    ]);
    assert.deepEqual(tagsOf({ family: 'XWorm' }), [['XWORM', 9]]);
  });

  it("are the rule's own name at heat 5 by default", () => {
    assert.deepEqual(tagsOf({}, 'Win32_Evil_Thing'), [['WIN32_EVIL_THING', 5]]);
    assert.deepEqual(tagsOf({ tag: ' ', author: 'somebody' }, 'x'), [['X', 5]]);
  });

  it('are normalised, with a heat that a rule may have', () => {
    assert.deepEqual(tagsOf({ tag: 'späte bäume/1' }), [['SP_TE_B_UME_1', 5]]);
    assert.equal(tagsOf({ tag: 'x'.repeat(99) })[0]?.[0], 'X'.repeat(64));
    for (const [heat, given] of [
      [0, 1],
      [-3, 1],
      [10, 9],
      [99, 9],
      ['7', 7],
      ['hot', 5],
      [6.4, 6],
    ] as const) {
      assert.deepEqual(tagsOf({ tag: 'T', heat }), [['T', given]]);
    }
  });
});

describe('the folders of rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-rules-'));
  after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'a/b/c/d'), { recursive: true });
  for (const path of [
    'one.yar',
    'two.yara',
    'notes.txt',
    'a/three.yar',
    'a/b/four.yar',
    'a/b/c/five.yar',
  ]) {
    writeFileSync(join(folder, path), HELLO);
  }
  symlinkSync(join(folder, 'gone'), join(folder, 'lost.yar'));
  symlinkSync(folder, join(folder, 'ring'));

  it('contain our rules and those of the operator, three folders deep', () => {
    const { sources, problems } = loadRuleSources({ local: folder });
    assert.ok(sources.some(({ name, ours }) => name === 'persistence' && ours));
    assert.deepEqual(
      sources.filter(({ ours }) => !ours).map(({ name }) => name),
      ['local/a/b/four', 'local/a/three', 'local/one', 'local/two'],
    );
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /lost\.yar could not be read: ENOENT/);
  });

  it('are reported if they cannot be read', () => {
    const { sources, problems } = loadRuleSources({ local: join(folder, 'nowhere') });
    assert.ok(sources.every(({ ours }) => ours));
    assert.match(problems[0] ?? '', /nowhere could not be read: ENOENT/);
  });

  it('must contain our rules', () => {
    assert.throws(
      () => loadRuleSources({ ours: join(folder, 'a/b/c/d') }),
      /there are no rules in/,
    );
  });

  it('are read up to a limit, which is reported', () => {
    const large = join(folder, 'large');
    mkdirSync(large);
    for (const name of ['x', 'y', 'z'])
      writeFileSync(join(large, `${name}.yar`), ' '.repeat(9_000_000));
    const { sources, problems } = loadRuleSources({ local: large });
    rmSync(large, { recursive: true });
    assert.equal(sources.filter(({ ours }) => !ours).length, 2);
    assert.match(problems[0] ?? '', /left out, from .*z\.yar on/);
  });
});

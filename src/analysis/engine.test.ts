import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Engine, openEngine } from './engine.ts';
import { openFileTypes } from './file-type.ts';
import { defineFormat } from './formats/format.ts';
import { javaClass } from './formats/java-class.ts';
import { nestCounted } from './formats/nest.ts';
import { RenewedRules } from './rules/renewed-rules.ts';
import type { RuleSource } from './rules/rule-source.ts';
import { openRules } from './rules/rules.ts';

const NOW = new Date('2026-08-26T10:00:00Z');

/** A minimal container: `BOX`, then lines of a name, a colon and the content in base64. */
const box = defineFormat({
  name: 'box',
  tags: { BOX: [1, 'A box'] },
  matches: ({ bytes }) => bytes.toString('latin1', 0, 4) === 'BOX\n',
  inspect({ bytes }, findings) {
    findings.tag('BOX');
    for (const line of bytes.toString('latin1').split('\n').slice(1)) {
      const [name = '', content = ''] = line.split(':');
      nestCounted(findings, name, Buffer.from(content, 'base64'));
    }
  },
});

function boxOf(...members: readonly (readonly [name: string, content: Buffer | string])[]): Buffer {
  const lines = members.map(([name, bytes]) => `${name}:${Buffer.from(bytes).toString('base64')}`);
  return Buffer.from(['BOX', ...lines].join('\n'));
}

const broken = defineFormat({
  name: 'broken',
  tags: {},
  matches({ bytes }) {
    if (bytes.toString('latin1').startsWith('BREAK')) throw new Error('a defect');
    return false;
  },
  inspect: () => undefined,
});

const rules: RuleSource = {
  name: 'test',
  ours: true,
  text: `
    rule lantern { meta: tag = "LANTERN" strings: $a = "lantern" condition: $a }
    rule two_parts { strings: $a = "first half" $b = "second half" condition: all of them }
  `,
};

function classOf(text: string): Buffer {
  return Buffer.concat([Buffer.from('cafebabe00000034', 'hex'), Buffer.from(text)]);
}

describe('the engine', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEngine([rules], { formats: [box, javaClass, broken], extractors: [] });
  });

  async function analyse(bytes: Buffer) {
    return await engine.analyse({ bytes, fileName: 'file' }, NOW);
  }

  it('analyses equal content once, and lists every occurrence', async () => {
    const { details } = await analyse(
      boxOf(['a.txt', 'a lantern'], ['b.txt', 'a lantern'], ['c.js', 'a lantern']),
    );
    assert.deepEqual(
      details.members.map(({ path }) => path),
      ['a.txt', 'b.txt', 'c.js'],
    );
    // A text with another extension may be of another kind.
    const found = details.evidence.filter(({ tag }) => tag === 'LANTERN');
    assert.deepEqual(
      found.map(({ member }) => member),
      ['a.txt', 'c.js'],
    );
  });

  it('reports in which class of a program a rule matched, with the offset in the class', async () => {
    const { details } = await analyse(
      boxOf(['A.class', classOf('nothing')], ['B.class', classOf('the lantern')]),
    );
    const [found] = details.evidence.filter(({ tag }) => tag === 'LANTERN');
    assert.deepEqual([found?.member, found?.offset], ['B.class', 12]);
  });

  it('scans the classes of a program together', async () => {
    const { report } = await analyse(
      boxOf(['A.class', classOf('first half')], ['B.class', classOf('second half')]),
    );
    assert.ok(report.tags.some(({ name }) => name === 'TWO_PARTS'));
  });

  it('applies the rules to a single class', async () => {
    const { report } = await analyse(classOf('the lantern'));
    assert.ok(report.tags.some(({ name }) => name === 'LANTERN'));
  });

  it('describes members as plain text if there are many', async () => {
    const texts = Array.from({ length: 120 }, (_, n) => [`${n}.txt`, `text ${n}`] as const);
    const { details } = await analyse(boxOf(...texts, ['program', '\x7fELF\x01\0\0\0\0']));
    const types = details.members.map(({ type }) => type);
    assert.match(types[0] ?? '', /^ASCII text/);
    assert.equal(types[119], 'text');
    assert.match(types[120] ?? '', /^ELF/);
  });

  it('completes the analysis although a parser fails, and reports the failure', async () => {
    const { report, details } = await analyse(Buffer.from('BREAK the lantern'));
    const names = report.tags.map(({ name }) => name);
    assert.ok(names.includes('PARSER_FAILED') && names.includes('LANTERN'));
    const [failure] = details.evidence.filter(({ tag }) => tag === 'PARSER_FAILED');
    assert.deepEqual([failure?.source, failure?.note], ['broken', 'Error: a defect']);
  });

  // libmagic 5.46 in WebAssembly traps on the times of this shortcut.
  const TRAP = Buffer.from(
    '4c0000000114020000000000c000000000000046a21c8cc8ff1275f5f3a97f0027ff004af6ff008ba829c4b9ffc234abdfec2459cb2d00b93fde5fb1e5ebc8189cff17ff600064b7ff8fff34',
    'hex',
  );

  it('loses only the type of a member on which libmagic fails', async () => {
    assert.equal(TRAP.length, 76);
    const { details } = await analyse(
      boxOf(['a.txt', 'a lantern'], ['trap.lnk', TRAP], ['b.sh', '#!/bin/sh\nlantern']),
    );
    const failures = details.evidence.filter(({ tag }) => tag === 'PARSER_FAILED');
    assert.deepEqual(
      failures.map(({ member, source }) => [member, source]),
      [['trap.lnk', 'libmagic']],
    );
    assert.deepEqual(
      details.members.map(({ path }) => path),
      ['a.txt', 'trap.lnk', 'b.sh'],
    );
    assert.match(details.members[2]?.type ?? '', /shell script/);
    const found = details.evidence.filter(({ tag }) => tag === 'LANTERN');
    assert.deepEqual(
      found.map(({ member }) => member),
      ['a.txt', 'b.sh'],
    );
    const next = await analyse(Buffer.from('#!/bin/sh\nlantern'));
    assert.ok(!next.report.tags.some(({ name }) => name === 'PARSER_FAILED'));
    assert.match(String(next.details.facts['file']?.['type']), /shell script/);
  });

  it('replaces the rule engine after it has failed on a member', async () => {
    let opened = 0;
    const open = async () => {
      opened += 1;
      const real = await openRules([rules]);
      const scan = (bytes: Uint8Array) => {
        if (Buffer.from(bytes).includes('TRAP')) throw new Error('unreachable');
        return real.scan(bytes);
      };
      return { problems: real.problems, scan, candidates: () => undefined };
    };
    const parts = { formats: [box], extractors: [] };
    const guarded = new Engine(parts, new RenewedRules(await open(), open), await openFileTypes());
    const bytes = boxOf(['trap', 'TRAP'], ['a.txt', 'a lantern']);
    const { details } = await guarded.analyse({ bytes, fileName: 'file' }, NOW);
    const reported = details.evidence.flatMap(({ tag, member, source }) =>
      ['PARSER_FAILED', 'LANTERN'].includes(tag) ? [`${tag} ${member} ${source}`] : [],
    );
    assert.deepEqual(reported, ['PARSER_FAILED trap yara-x', 'LANTERN a.txt rule:test/lantern']);
    assert.equal(opened, 2);
  });
});

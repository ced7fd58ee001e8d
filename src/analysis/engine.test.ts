import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Engine, openEngine } from './engine.ts';
import { defineFormat } from './formats/format.ts';
import { javaClass } from './formats/java-class.ts';
import { nestCounted } from './formats/nest.ts';
import type { RuleSource } from './rules.ts';

const NOW = new Date('2026-08-26T10:00:00Z');

/** A container as small as can be: `BOX`, then lines of a name, a colon and the content in base64. */
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

  it('looks at the same content once, and lists it as often as it is there', async () => {
    const { details } = await analyse(
      boxOf(['a.txt', 'a lantern'], ['b.txt', 'a lantern'], ['c.js', 'a lantern']),
    );
    assert.deepEqual(
      details.members.map(({ path }) => path),
      ['a.txt', 'b.txt', 'c.js'],
    );
    // By its ending a text may be something else.
    const found = details.evidence.filter(({ tag }) => tag === 'LANTERN');
    assert.deepEqual(
      found.map(({ member }) => member),
      ['a.txt', 'c.js'],
    );
  });

  it('says in which class of a program a rule matched, and where in there', async () => {
    const { details } = await analyse(
      boxOf(['A.class', classOf('nothing')], ['B.class', classOf('the lantern')]),
    );
    const [found] = details.evidence.filter(({ tag }) => tag === 'LANTERN');
    assert.deepEqual([found?.member, found?.offset], ['B.class', 12]);
  });

  it('takes the classes of a program together', async () => {
    const { report } = await analyse(
      boxOf(['A.class', classOf('first half')], ['B.class', classOf('second half')]),
    );
    assert.ok(report.tags.some(({ name }) => name === 'TWO_PARTS'));
  });

  it('applies the rules to a class that came alone', async () => {
    const { report } = await analyse(classOf('the lantern'));
    assert.ok(report.tags.some(({ name }) => name === 'LANTERN'));
  });

  it('calls texts just that where there are many', async () => {
    const texts = Array.from({ length: 120 }, (_, n) => [`${n}.txt`, `text ${n}`] as const);
    const { details } = await analyse(boxOf(...texts, ['program', '\x7fELF\x01\0\0\0\0']));
    const types = details.members.map(({ type }) => type);
    assert.match(types[0] ?? '', /^ASCII text/);
    assert.equal(types[119], 'text');
    assert.match(types[120] ?? '', /^ELF/);
  });

  it('makes its report although a parser fails, and says so', async () => {
    const { report, details } = await analyse(Buffer.from('BREAK the lantern'));
    const names = report.tags.map(({ name }) => name);
    assert.ok(names.includes('PARSER_FAILED') && names.includes('LANTERN'));
    const [failure] = details.evidence.filter(({ tag }) => tag === 'PARSER_FAILED');
    assert.deepEqual([failure?.source, failure?.note], ['broken', 'Error: a defect']);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from './collection.ts';
import { LIMITS } from './limits.ts';
import { Subject } from './subject.ts';

const ENDLESS = { isOver: () => false };
const file = new Subject(Buffer.from('the file'), 'file');
const TAGS = { PE32: [1, 'a program'], HOT: [7, 'hot'] } as const;

function notesOf(collection: Collection): readonly (string | undefined)[] {
  return collection.evidence.filter(({ tag }) => tag === 'LIMIT_EXCEEDED').map(({ note }) => note);
}

describe('the results of an analysis', () => {
  it('have the heat that the source declares for the tag, and the offset', () => {
    const collection = new Collection(ENDLESS);
    collection.findings(file, 'pe', TAGS).tag('HOT', { offset: 7, note: 'a\u0000b' });
    assert.deepEqual(collection.evidence, [
      { tag: 'HOT', heat: 7, source: 'pe', offset: 7, note: 'a\\x00b' },
    ]);
  });

  it('include a few pieces of evidence per tag, and the first of every tag', () => {
    const collection = new Collection(ENDLESS);
    for (let at = 0; at < 1000; at += 1) collection.tag(file, 'pe', `T${at % 400}`, 1);
    assert.equal(collection.evidence.filter(({ tag }) => tag === 'T0').length, 1);
    assert.equal(new Set(collection.evidence.map(({ tag }) => tag)).size, 400);
    const other = new Collection(ENDLESS);
    for (let at = 0; at < 10; at += 1) other.tag(file, 'pe', 'T', 1);
    assert.equal(other.evidence.length, LIMITS.evidencePerTag);
  });

  it('include evidence that raises the heat of a tag, beyond any limit', () => {
    const collection = new Collection(ENDLESS);
    for (let at = 0; at < 1000; at += 1) collection.tag(file, 'rule', 'T', 9);
    collection.tag(file, 'extractor', 'T', 10);
    assert.deepEqual(collection.evidence.at(-1), { tag: 'T', heat: 10, source: 'extractor' });
  });

  it('stay within the limits of members and bytes, and report each limit once', () => {
    const collection = new Collection(ENDLESS);
    for (let at = 0; at < LIMITS.members; at += 1) assert.ok(collection.takeMember());
    assert.equal(collection.takeMember(), false);
    assert.equal(collection.takeMember(), false);
    assert.ok(collection.takeBytes(LIMITS.unpackedBytes));
    assert.equal(collection.takeBytes(1), false);
    assert.deepEqual(notesOf(collection), [
      `more than ${LIMITS.members} members`,
      `more than ${LIMITS.unpackedBytes} bytes unpacked`,
    ]);
  });

  it('are not nested deeper than the limit', () => {
    const collection = new Collection(ENDLESS);
    let subject = file;
    for (let depth = 0; depth <= LIMITS.depth; depth += 1) {
      collection.findings(subject, 'zip', {}).nest('inner', Buffer.from('x'));
      subject = collection.pending.shift() ?? subject;
    }
    assert.equal(subject.depth, LIMITS.depth);
    assert.deepEqual(notesOf(collection), [`nested deeper than ${LIMITS.depth}`]);
  });

  it('name members by their escaped path', () => {
    const collection = new Collection(ENDLESS);
    collection.findings(file, 'zip', {}).nest('a\n.zip', Buffer.from('x'));
    const [inner = file] = collection.pending;
    collection.findings(inner, 'zip', {}).nest('b', Buffer.from('y'));
    assert.deepEqual(
      collection.pending.map(({ path }) => path),
      ['a\\x0a.zip', 'a\\x0a.zip → b'],
    );
  });

  it('end when the time is over, and say so', () => {
    const collection = new Collection({ isOver: () => true });
    assert.equal(collection.isOver(), true);
    assert.deepEqual(notesOf(collection), ['no time was left']);
    assert.equal(new Collection(ENDLESS).isOver(), false);
  });

  it('include each indicator once, up to a limit', () => {
    const collection = new Collection(ENDLESS);
    const findings = collection.findings(file, 'file', {});
    for (let at = 0; at < LIMITS.indicators + 10; at += 1)
      findings.indicator('url', `http://192.0.2.1/${at}`, at);
    findings.indicator('url', 'http://192.0.2.1/0', 0);
    assert.equal(collection.indicators.length, LIMITS.indicators);
    assert.deepEqual(notesOf(collection), [`more than ${LIMITS.indicators} indicators`]);
  });

  it('include the facts of the file only, per parser', () => {
    const collection = new Collection(ENDLESS);
    collection.findings(file, 'pe', {}).facts({ a: 1 });
    collection.findings(file, 'pe', {}).facts({ b: 2 });
    collection.findings(new Subject(file.bytes, 'x', 'x', 1), 'pe', {}).facts({ c: 3 });
    assert.deepEqual(collection.facts, { pe: { a: 1, b: 2 } });
  });

  it('exclude facts beyond the limit', () => {
    const collection = new Collection(ENDLESS);
    const texts = Array.from({ length: 100 }, () => 'x'.repeat(LIMITS.factsBytes / 100));
    collection.findings(file, 'pe', {}).facts({ texts });
    assert.deepEqual(collection.facts, {});
    const numbers = Array.from({ length: LIMITS.factValues }, () => 1);
    collection.findings(file, 'elf', {}).facts({ numbers });
    assert.deepEqual(collection.facts, {});
    assert.deepEqual(notesOf(collection), [
      'pe: more facts than the limit',
      'elf: more facts than the limit',
    ]);
  });

  it('cut long facts and long rule names', () => {
    const collection = new Collection(ENDLESS);
    const long = 'x'.repeat(LIMITS.factLength + 1);
    collection.findings(file, 'pe', {}).facts({ list: [{ long }] });
    assert.match(JSON.stringify(collection.facts), /^.{16,}x…"\}\]\}\}$/);
    collection.tag(file, `rule:${'very/'.repeat(99)}long`, 'T', 1);
    assert.equal(collection.evidence[0]?.source.length, LIMITS.sourceLength);
  });

  it('have no offsets outside of the file', () => {
    const collection = new Collection(ENDLESS);
    const findings = collection.findings(file, 'elf', TAGS);
    for (const offset of [2 ** 64, 9, -1, 0.5, Number.NaN]) findings.tag(`T${offset}`, { offset });
    assert.ok(collection.evidence.every(({ offset }) => offset === undefined));
    findings.indicator('url', 'http://a.example.invalid', 2 ** 60);
    assert.equal(collection.indicators[0]?.offset, 0);
  });

  it('have facts that fit a response, however long their names and texts are', () => {
    const collection = new Collection(ENDLESS);
    const inner = { ['n'.repeat(1000)]: 'v'.repeat(20_000), b: null };
    collection.findings(file, 'pe', TAGS).facts({ a: [inner] });
    const [[name, value] = ['', '']] = Object.entries(Object(collection.facts['pe']?.['a'])[0]);
    assert.equal(name.length, LIMITS.factNameLength);
    assert.equal(String(value).length, LIMITS.factLength);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TurnCounter } from '../../../test/turn-counter.ts';
import { readEnvelope, type SubmittedObject } from './envelope.ts';
import { sortEnvelope } from './sort-envelope.ts';

function indicator(id: string, pattern: string, externalId: string): SubmittedObject {
  return {
    id,
    type: 'indicator',
    spec_version: '2.1',
    pattern_type: 'stix',
    pattern,
    external_references: [{ source_name: 'x', external_id: externalId }],
  };
}

function related(type: string, source: string, target: string): SubmittedObject {
  return {
    id: `relationship--${source}-${target}`,
    type: 'relationship',
    relationship_type: type,
    source_ref: source,
    target_ref: target,
  };
}

it('reads the traffic of an infrastructure once for all indicators that refer to it', async () => {
  let reads = 0;
  const traffic = Array.from({ length: 300 }, (_, index) => ({
    id: `network-traffic--${index}`,
    type: 'network-traffic',
    get dst_port() {
      reads += 1;
      return 4444;
    },
  }));
  const indexes = Array.from({ length: 100 }, (_, index) => index);
  const { reports } = await sortEnvelope([
    ...indexes.map((index) => indicator(`c${index}`, "[ipv4-addr:value = '1.2.3.4']", `${index}`)),
    ...indexes.map((index) => indicator(`f${index}`, `[file:hashes.'SHA-256' = 'a']`, `${index}`)),
    ...indexes.map((index) => related('indicates', `c${index}`, 'x')),
    ...traffic,
    ...traffic.map(({ id }) => related('consists-of', 'x', id)),
  ]);
  assert.deepEqual(
    reports.map(({ port }) => port),
    indexes.map(() => 4444),
  );
  assert.equal(reads, 300);
});

describe('reading an envelope', () => {
  const PATTERN = '['.repeat(2000);

  /** Counts in which turn a member of an object is read. */
  function counted(counter: TurnCounter, index: number): SubmittedObject {
    return {
      ...indicator(`indicator--${index}`, PATTERN, `${index}`),
      get pattern_type() {
        counter.mark();
        return 'stix';
      },
    };
  }

  it('takes several turns of the event loop', async () => {
    const counter = new TurnCounter();
    const objects = Array.from({ length: 1000 }, (_, index) => counted(counter, index));
    const read = await readEnvelope({ objects });
    counter.stop();
    assert.equal(read.length, 1000);
    assert.ok(counter.most <= 130, counter.byTurn.join());
    const again = new TurnCounter();
    await sortEnvelope(Array.from({ length: 1000 }, (_, index) => counted(again, index)));
    again.stop();
    assert.ok(again.byTurn.length > 10, again.byTurn.join());
    assert.ok(again.most <= 130, again.byTurn.join());
  });

  for (const [name, members] of Object.entries({
    'a long version': { modified: '2'.repeat(41) },
    'a version that is no time': { created: 'yesterday' },
    'a long id': { id: 'i'.repeat(257) },
    'an id with control characters': { id: 'indicator--\u0001' },
    'a type with blanks': { type: 'a b' },
  }))
    it(`refuses ${name}`, async () => {
      const objects = [{ ...indicator('indicator--1', '', ''), ...members }];
      const path = `objects.0.${Object.keys(members)[0]}`;
      await assert.rejects(readEnvelope({ objects }), new RegExp(`Wrong: ${path}`));
    });
});

describe('an object that is no indicator', () => {
  const c2 = indicator(
    'indicator--c2',
    "[ipv4-addr:value = '192.0.2.1' AND network-traffic:dst_port = 1]",
    '1',
  );
  const file = indicator('indicator--file', "[file:hashes.'SHA-256' = 'x']", '1');

  async function failuresIn(...objects: SubmittedObject[]): Promise<readonly string[]> {
    const { verdicts } = await sortEnvelope([c2, file, ...objects]);
    return verdicts.filter(({ accepted }) => !accepted).map(({ object }) => object.id);
  }

  it('is accepted if a report leads to it', async () => {
    const failures = await failuresIn(
      related('indicates', 'indicator--c2', 'infrastructure--1'),
      { id: 'infrastructure--1', type: 'infrastructure', created_by_ref: 'identity--1' },
      { id: 'identity--1', type: 'identity', object_marking_refs: ['marking-definition--1'] },
      { id: 'marking-definition--1', type: 'marking-definition', extensions: { 'e--1': {} } },
      { id: 'e--1', type: 'extension-definition' },
      related('consists-of', 'infrastructure--1', 'network-traffic--1'),
      { id: 'network-traffic--1', type: 'network-traffic', dst_ref: 'ipv4-addr--1' },
      { id: 'ipv4-addr--1', type: 'ipv4-addr' },
    );
    assert.deepEqual(failures, []);
  });

  it('is a failure if none does, even if both name the same author', async () => {
    const failures = await failuresIn(
      { id: 'identity--1', type: 'identity' },
      { id: 'malware--1', type: 'malware', created_by_ref: 'identity--1' },
      related('uses', 'malware--1', 'file--1'),
      { id: 'file--1', type: 'file' },
    );
    assert.deepEqual(failures, [
      'identity--1',
      'malware--1',
      'relationship--malware--1-file--1',
      'file--1',
    ]);
  });

  it('is a failure if it describes an indicator that is refused', async () => {
    const { verdicts } = await sortEnvelope([
      { ...c2, created_by_ref: 'identity--1' },
      { id: 'identity--1', type: 'identity' },
    ]);
    assert.deepEqual(
      verdicts.map(({ accepted }) => accepted),
      [false, false],
    );
  });
});

it('refuses an indicator with very many labels, which each of its reports would read', async () => {
  const labels = Array.from({ length: 101 }, (_, index) => `${index}`);
  const { verdicts } = await sortEnvelope([{ ...indicator('i', '', ''), labels }]);
  assert.match(verdicts[0]?.message ?? '', /at most 100 labels/);
});

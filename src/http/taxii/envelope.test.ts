import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type SubmittedObject, sortEnvelope } from './envelope.ts';

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

it('reads the traffic of an infrastructure once for all indicators that refer to it', () => {
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
  const { reports } = sortEnvelope([
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

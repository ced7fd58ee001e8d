import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newReport } from './new-report.ts';
import { withEvidence, withRoute } from './reevaluation.ts';

const at = new Date('2026-11-02T00:00:00Z');
const report = newReport(
  {
    id: 'r1',
    service: 'ply',
    tags: ['rat'],
    c2: { host: 'evil.example', port: 443 },
    sha256: 'a'.repeat(64),
    reference: '',
    confidence: 50,
    reporterId: 'alice',
    reportedBy: 'Alice',
    reportedAt: new Date('2026-11-01T00:00:00Z'),
  },
  { sequence: 1, expireAfterDays: 90 },
  { firstSeenId: undefined, sightings: 1, corroboration: 0, recurrence: false },
  { evidence: undefined, route: undefined },
);

describe('a report whose file was analysed', () => {
  it('gets the family and the confirmation', () => {
    const evidence = { family: 'LANTERN', confirmation: 'confirmed' } as const;
    const changed = { name: 'LANTERN', confirmation: 'confirmed', updatedAt: at };
    assert.deepEqual(withEvidence(report, evidence, at), { ...report, ...changed });
  });

  it('does not change if the analysis says what it says', () => {
    const evidence = { family: undefined, confirmation: 'unknown' } as const;
    assert.equal(withEvidence(report, evidence, at), undefined);
  });

  it('keeps its name and loses its confirmation if the analysis is removed', () => {
    const named = { ...report, name: 'LANTERN', confirmation: 'contradicted' } as const;
    const changed = { confirmation: 'unknown', updatedAt: at };
    assert.deepEqual(withEvidence(named, undefined, at), { ...named, ...changed });
  });
});

describe('a report whose host another service declares', () => {
  it('gets that service, or none', () => {
    const routed = { ...report, routedTo: 'other', updatedAt: at };
    assert.deepEqual(withRoute(report, 'other', at), routed);
    assert.deepEqual(withRoute(routed, undefined, at), { ...routed, routedTo: undefined });
  });

  it('does not change if it has that service', () => {
    assert.equal(withRoute(report, undefined, at), undefined);
  });

  it('keeps its service after a final status', () => {
    assert.equal(withRoute({ ...report, status: 'actioned' }, 'other', at), undefined);
  });
});

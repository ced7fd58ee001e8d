import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newReport } from './new-report.ts';

const reportedAt = new Date('2026-11-01T00:00:00Z');

const request = {
  id: 'r2',
  service: 'ply',
  tags: ['rat', 'asyncrat'],
  c2: { host: 'evil.example', port: 443 },
  sha256: 'a'.repeat(64),
  reference: '',
  confidence: 50,
  reporterId: 'alice',
  reportedBy: 'Alice',
  reportedAt,
};
const position = { sequence: 7, expireAfterDays: 90 };
const first = { firstSeenId: undefined, sightings: 1, corroboration: 0, recurrence: false };
const nothing = { evidence: undefined, route: undefined };

describe('a new report', () => {
  it('is open until the period of its feed has passed', () => {
    const report = newReport(request, position, first, nothing);
    assert.equal(report.status, 'open');
    assert.deepEqual(report.expiresAt, new Date('2027-01-30T00:00:00Z'));
    assert.equal(report.updatedAt, reportedAt);
    assert.equal(report.sequence, 7);
    assert.equal(report.createdSequence, 7);
  });

  it('is the first of its C2 if there is no earlier one', () => {
    const report = newReport(request, position, first, nothing);
    assert.equal(report.firstSeenId, 'r2');
    assert.equal(report.sightings, 1);
  });

  it('refers to the first report of its C2', () => {
    const history = { firstSeenId: 'r1', sightings: 3, corroboration: 1, recurrence: true };
    const { firstSeenId, sightings, corroboration, recurrence } = newReport(
      request,
      position,
      history,
      nothing,
    );
    assert.deepEqual({ firstSeenId, sightings, corroboration, recurrence }, history);
  });

  it('has its first tag as name, and no confirmation, without an analysis of the file', () => {
    const { name, confirmation, routedTo } = newReport(request, position, first, nothing);
    assert.deepEqual([name, confirmation, routedTo], ['rat', 'unknown', undefined]);
  });

  it('has the family of its file, what its settings say, and the service of its host', () => {
    const { name, confirmation, routedTo } = newReport(request, position, first, {
      evidence: { family: 'LANTERN', confirmation: 'confirmed' },
      route: { service: 'other', pattern: '*.example', verified: false },
    });
    assert.deepEqual([name, confirmation, routedTo], ['LANTERN', 'confirmed', 'other']);
  });
});

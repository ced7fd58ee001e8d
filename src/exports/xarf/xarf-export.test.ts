import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { xarfProblems } from '../../../test/exports/xarf-schema.ts';
import { allowListOf } from '../../domain/lists/allow-list.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { ExportContext } from '../exporter.ts';
import { xarf } from './xarf.ts';

const at = '2026-11-16T10:00:00.000Z';
const ply = { name: 'Ply', confidenceScale: 10, hosts: [], networks: [], createdAt: at };
const CONTEXT: ExportContext = {
  feed: 'ply',
  services: new Map([['ply', { slug: 'ply', ...ply }]]),
  serial: 2,
  changedAt: at,
  baseUrl: 'https://feeds.example',
  namespace: '01890a5d-ac96-774b-bcce-b302099a8057',
  lists: allowListOf([]),
  declared: { hosts: [], networks: [] },
  firstRuleNumber: 90_000_000,
  options: {},
};

function report(number: number): ExportedReport {
  return {
    number,
    id: `01890a5d-ac96-774b-bcce-b302099a805${number}`,
    service: 'ply',
    sequence: number,
    createdSequence: number,
    dayPart: 1,
    name: 'asyncrat',
    tags: ['asyncrat'],
    c2: { host: 'evil.example', port: number },
    sha256: 'ab'.repeat(32),
    reportedBy: 'ada',
    reportedAt: at,
    firstSeenId: `01890a5d-ac96-774b-bcce-b302099a805${number}`,
    reference: 'https://research.example/1',
    confidence: 5,
    status: 'open',
    statusReason: undefined,
    updatedAt: at,
    addedAt: at,
    expiresAt: at,
    corroboration: 0,
    sightings: 1,
    recurrence: false,
    confirmation: 'unknown',
    rejectionSequence: undefined,
    routedTo: undefined,
    body: '{}',
  };
}

function exported(...reports: readonly ExportedReport[]) {
  const writer = xarf.open(CONTEXT);
  const before = writer.start() + reports.map((one) => writer.report(one)).join('');
  return before + writer.end(() => 'digest');
}

describe('the export as XARF', () => {
  it('has an object for each report and ends with their number', () => {
    const { reports, ...end } = JSON.parse(exported(report(1), report(2)));
    assert.deepEqual(end, { rows: 2, sha256: 'digest' });
    assert.deepEqual(reports.flatMap(xarfProblems), []);
    assert.deepEqual(
      reports.map((one: { source_port: number }) => one.source_port),
      [1, 2],
    );
    assert.equal(reports[0].confidence, 0.5);
    assert.equal(reports[0].sender.contact, 'noreply@feeds.example');
  });

  it('is valid JSON without a report, and not if it is cut', () => {
    assert.deepEqual(JSON.parse(exported()), { reports: [], rows: 0, sha256: 'digest' });
    const whole = exported(report(1));
    assert.throws(() => JSON.parse(whole.slice(0, -2)), SyntaxError);
  });
});

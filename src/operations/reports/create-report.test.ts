import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../../../test/builders.ts';
import { alice, fakeDependencies, ply } from '../../../test/fakes.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { CreateOutcome, NewReport } from '../../ports/report-store.ts';
import { createReport } from './create-report.ts';

const draft: ReportDraft = {
  tags: ['rat'],
  c2: { host: 'evil.example', port: 4444 },
  sha256: sha256Of('a file'),
  reference: 'https://research.example/x',
  confidence: 80,
};

/** A fake feed that records its input and returns the given outcome. */
function feed(answer?: CreateOutcome) {
  const given: NewReport[] = [];
  const deps = fakeDependencies({
    reports: {
      async create(report) {
        given.push(report);
        return answer ?? { kind: 'created', id: report.id };
      },
    },
  });
  return { deps, given };
}

async function created(changes: Partial<ReportDraft>, key?: string, scale = 100) {
  const { deps, given } = feed();
  const service = { ...ply, confidenceScale: scale };
  await createReport(deps, alice, service, { ...draft, ...changes }, key);
  const [report] = given;
  assert.ok(report !== undefined);
  return report;
}

async function fingerprintOf(changes: Partial<ReportDraft>): Promise<string> {
  const { retry } = await created(changes, 'key');
  assert.ok(retry !== undefined);
  return Buffer.from(retry.fingerprint).toString('hex');
}

describe('creating a report', () => {
  it('stores the members, the reporter and the time in the feed', async () => {
    const { deps, given } = feed();
    const { id, replayed } = await createReport(deps, alice, ply, draft);
    assert.equal(replayed, false);
    assert.deepEqual(given, [
      {
        ...draft,
        id,
        service: 'ply',
        reporterId: 'a1',
        reportedBy: 'alice',
        tokenId: 't1',
        reportedAt: new Date('2026-08-26T10:00:00Z'),
        retry: undefined,
      },
    ]);
  });

  it('gives every report a unique id, based on the clock', async () => {
    const { deps } = feed();
    const first = await createReport(deps, alice, ply, draft);
    const second = await createReport(deps, alice, ply, draft);
    assert.notEqual(first.id, second.id);
    assert.match(first.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  for (const roles of [[], ['admin']] as const satisfies Caller['roles'][]) {
    it(`is refused to an account with the roles ${JSON.stringify(roles)}`, async () => {
      const { deps, given } = feed();
      await assert.rejects(
        createReport(deps, { ...alice, roles, services: ['ply'] }, ply, draft),
        (error) =>
          error instanceof Problem &&
          error.code === 'role_missing' &&
          error.message === 'This call needs an account with the role "researcher".',
      );
      assert.deepEqual(given, []);
    });
  }

  it('without a reference link refers to our own page of the file', async () => {
    const { reference } = await created({ reference: undefined });
    assert.equal(reference, `https://rapsheet.example/files/${draft.sha256}`);
  });

  it('without a confidence takes half of the scale of the service', async () => {
    assert.equal((await created({ confidence: undefined })).confidence, 50);
    assert.equal((await created({ confidence: undefined }, undefined, 10)).confidence, 5);
  });

  it('stores each tag once', async () => {
    assert.deepEqual((await created({ tags: ['rat', 'x', 'rat'] })).tags, ['rat', 'x']);
  });

  it('keeps a confidence of zero', async () => {
    assert.equal((await created({ confidence: 0 })).confidence, 0);
  });

  it('is refused if the service was removed meanwhile', async () => {
    const { deps } = feed({ kind: 'unknown-service' });
    await assert.rejects(createReport(deps, alice, ply, draft), { code: 'unknown_service' });
  });
});

describe('creating a report with a retry key', () => {
  it('passes the key to the store, for this feed', async () => {
    const { retry } = await created({}, 'key');
    assert.equal(retry?.key, 'key');
    assert.equal(retry?.route, 'POST /feed/ply/api');
  });

  it('returns the first response again', async () => {
    const { deps } = feed({ kind: 'replayed', id: 'the first' });
    assert.deepEqual(await createReport(deps, alice, ply, draft, 'key'), {
      id: 'the first',
      replayed: true,
      c2Rejected: false,
    });
  });

  it('is refused if the key was used for another body', async () => {
    const { deps } = feed({ kind: 'key-reused' });
    await assert.rejects(createReport(deps, alice, ply, draft, 'key'), {
      code: 'idempotency_key_reused',
    });
  });

  it('is the same call for any order of its members', async () => {
    const { tags, c2, sha256, reference, confidence } = draft;
    const turned = { confidence, reference, sha256, c2: { port: c2.port, host: c2.host }, tags };
    assert.equal(await fingerprintOf(turned), await fingerprintOf({}));
  });

  const others: readonly Partial<ReportDraft>[] = [
    { tags: [] },
    { tags: ['rat', 'x'] },
    { tags: ['rat', 'rat'] },
    { tags: ['RAT'] },
    { c2: { host: 'evil.example', port: 4445 } },
    { c2: { host: 'evil2.example', port: 4444 } },
    { sha256: sha256Of('another file') },
    { reference: undefined },
    { reference: 'https://research.example/y' },
    { confidence: undefined },
    { confidence: 0 },
  ];
  for (const changes of others) {
    it(`is another call with other ${JSON.stringify(Object.entries(changes))}`, async () => {
      assert.notEqual(await fingerprintOf(changes), await fingerprintOf({}));
    });
  }

  it('is a separate call for each of these bodies', async () => {
    const fingerprints = new Set(await Promise.all(others.map(fingerprintOf)));
    assert.equal(fingerprints.size, others.length);
  });
});

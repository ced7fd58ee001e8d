import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { WireExamined } from '../http-rig.ts';
import { BASE_URL, openRig, type TestAccount } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const service = await rig.service({ confidenceScale: 10, hosts: ['*.lantern.example'] });
const UNKNOWN = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';
const ANALYSIS = { configs: { LANTERN: {} }, tags: [{ heat: 8, name: 'RAT' }] };

interface WireProposal {
  readonly id: string;
  readonly state: string;
  readonly file256Hash: string;
  readonly report: { readonly id: string } | null;
}

async function list(by: TestAccount, query = ''): Promise<readonly WireProposal[]> {
  const answer = await rig.ask('GET', `/api/proposals${query}`, { token: by.token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['proposals'] as WireProposal[];
}

/** A researcher with the proposal of an analysed file. */
async function proposed(fileName = 'evil.exe') {
  const by = await rig.researcher();
  const answer = await rig.upload(by.token, rig.fresh('a file'), { fileName });
  const sha256 = String(answer.json['sha256Hash']);
  await rig.finish(sha256, ANALYSIS);
  const [proposal] = await list(by);
  return { by, sha256, proposal: proposal ?? assert.fail('nothing is proposed') };
}

const report = (by: TestAccount, id: string, body: unknown = {}) =>
  rig.ask('POST', `/api/proposals/${id}/report`, { token: by.token, body });
const dismiss = (by: TestAccount, id: string, body: unknown = { reason: 'other' }) =>
  rig.ask('POST', `/api/proposals/${id}/dismiss`, { token: by.token, body });

describe('the proposals of an upload', () => {
  it('name the service, the C2 and all that would be reported', async () => {
    const { sha256, proposal } = await proposed('mine.exe');
    const { id, ...shown } = proposal as WireProposal & Record<string, unknown>;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(shown, {
      state: 'open',
      service,
      c2Address: 'c2.lantern.example:4444',
      file256Hash: sha256,
      fileName: 'mine.exe',
      family: 'LANTERN',
      tags: ['lantern', 'rat'],
      confidenceScore: 9,
      confirmation: 'confirmed',
      createdAt: rig.clock
        .now()
        .toISOString()
        .replace(/\.\d+Z/, 'Z'),
      report: null,
      reason: null,
      note: null,
    });
  });

  it('are listed in pages, by state and by file', async () => {
    const { by, sha256 } = await proposed();
    for (const text of ['one', 'two']) {
      const { json } = await rig.upload(by.token, rig.fresh(text));
      rig.clock.advance(1000);
      await rig.finish(String(json['sha256Hash']), ANALYSIS);
    }
    const first = await rig.ask('GET', '/api/proposals?limit=2', { token: by.token });
    assert.equal(first.json['hasMore'], true);
    const cursor = encodeURIComponent(String(first.json['nextCursor']));
    const rest = await list(by, `?limit=2&cursor=${cursor}`);
    assert.deepEqual([...(first.json['proposals'] as WireProposal[]), ...rest], await list(by));
    assert.equal(rest.at(-1)?.file256Hash, sha256);
    assert.deepEqual(await list(by, `?hash=${sha256.toUpperCase()}&state=open`), rest);
    assert.deepEqual(await list(by, '?state=dismissed'), []);
    const refused = await rig.ask('GET', '/api/proposals?state=done&hash=x', { token: by.token });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /state must be one of open, reported, dismissed/);
    assert.match(refused.text, /hash must be a SHA-256/);
    const forged = await rig.ask('GET', '/api/proposals?cursor=x', { token: by.token });
    assert.equal(forged.headers['x-error-code'], 'invalid_cursor');
  });

  it('are made for a second account that uploads the analysed file', async () => {
    const bytes = rig.fresh('shared');
    const [alice, bob] = [await rig.researcher(), await rig.researcher()];
    const { json } = await rig.upload(alice.token, bytes);
    await rig.finish(String(json['sha256Hash']), ANALYSIS);
    assert.equal(
      (await rig.upload(bob.token, bytes, { fileName: 'bob.exe' })).json['status'],
      'done',
    );
    const [own] = (await list(bob)) as readonly (WireProposal & Record<string, unknown>)[];
    assert.equal(own?.['fileName'], 'bob.exe');
    assert.deepEqual(own?.['tags'], ['lantern', 'rat']);
    assert.notEqual(own?.['id'], (await list(alice))[0]?.id);
  });

  it('take no quota', async () => {
    const { by, proposal } = await proposed();
    const before = await rig.unitsLeft(by.token);
    await list(by);
    await report(by, proposal.id);
    assert.equal(await rig.unitsLeft(by.token), before);
  });
});

describe('reporting a proposal', () => {
  it('creates the report that was proposed, once', async () => {
    const { by, sha256, proposal } = await proposed();
    const answers = await Promise.all([1, 2, 3].map(() => report(by, proposal.id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 201]);
    const ids = new Set(answers.map(({ json }) => json['id']));
    assert.equal(ids.size, 1);
    const [id] = [...ids].map(String);
    assert.deepEqual(answers[0]?.json, { id, service, successful: true });
    const created = answers.find(({ status }) => status === 201);
    assert.equal(created?.headers['location'], `${BASE_URL}/feed/${service}/api?report=${id}`);
    const stored = await rig.fetched(service, id ?? '');
    assert.deepEqual(
      [stored.c2Address, stored.file256Hash, stored.tags, stored.confidenceScore, stored.name],
      ['c2.lantern.example:4444', sha256, ['lantern', 'rat'], 9, 'LANTERN'],
    );
    assert.deepEqual(
      [stored.reportedBy, stored.referenceLink],
      [by.name, `${BASE_URL}/files/${sha256}`],
    );
    const path = `/feed/${service}/reports/${id}`;
    const { json } = await rig.ask('GET', path, { token: by.token });
    assert.equal((json['report'] as WireExamined).confirmation, 'confirmed');
    const [now] = await list(by);
    assert.deepEqual([now?.state, now?.report], ['reported', { service, id }]);
  });

  it('takes other tags, confidence and link, within the scale of the service', async () => {
    const { by, proposal } = await proposed();
    const refused = await report(by, proposal.id, { confidenceScore: 11, c2Address: 'a.b:1' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /confidenceScore must be an integer from 0 to 10/);
    assert.match(refused.text, /c2Address.* is not known here/);
    const changes = { tags: ['mine'], confidenceScore: 3, referenceLink: 'https://a.example/' };
    const body = { ...changes, tags: ['mine', 'mine'] };
    const { json, status } = await report(by, proposal.id, body);
    assert.equal(status, 201);
    const { tags, confidenceScore, referenceLink } = await rig.fetched(service, String(json['id']));
    assert.deepEqual({ tags, confidenceScore, referenceLink }, changes);
  });

  it('answers with the report of the same C2 and file that was created by hand', async () => {
    const { by, sha256, proposal } = await proposed();
    const body = { c2Address: 'c2.lantern.example:4444', file256Hash: sha256 };
    const created = await rig.ask('POST', `/feed/${service}/api`, { token: by.token, body });
    const [shown] = await list(by);
    assert.deepEqual([shown?.state, shown?.report?.id], ['reported', created.json['id']]);
    const again = await report(by, proposal.id);
    assert.deepEqual([again.status, again.json['id']], [200, created.json['id']]);
  });

  const declare = (slug: string, hosts: readonly string[]) =>
    rig.ask('PATCH', `/admin/services/${slug}`, { token: rig.admin, body: { hosts } });
  const servicesOf = async (by: TestAccount) =>
    (await list(by)).map((one) => (one as WireProposal & { service: string }).service);

  it('goes to the service that answers now, or to the feed of unclaimed ones', async () => {
    const { by, proposal } = await proposed();
    const other = await proposed();
    assert.equal((await declare(service, [])).status, 200);
    try {
      assert.deepEqual(await servicesOf(other.by), ['unclaimed']);
      const unclaimed = await report(other.by, other.proposal.id);
      assert.deepEqual([unclaimed.status, unclaimed.json['service']], [201, 'unclaimed']);
      const successor = await rig.service({ hosts: ['c2.lantern.example'] });
      const answer = await report(by, proposal.id, { confidenceScore: 77 });
      assert.equal(answer.status, 201, answer.text);
      assert.match(answer.headers['location'] ?? '', new RegExp(`/feed/${successor}/`));
      assert.equal((await declare(successor, [])).status, 200);
    } finally {
      await declare(service, ['*.lantern.example']);
    }
  });

  it('is refused if the account has decided about one in the feed of the C2', async () => {
    assert.equal((await declare(service, [])).status, 200);
    try {
      const { by, sha256, proposal } = await proposed();
      assert.deepEqual(await servicesOf(by), ['unclaimed']);
      assert.equal((await dismiss(by, proposal.id)).status, 200);
      await declare(service, ['*.lantern.example']);
      const path = `/admin/samples/${sha256}/analyse`;
      assert.equal((await rig.ask('POST', path, { token: rig.admin })).status, 200);
      rig.clock.advance(1000);
      await rig.finish(sha256, ANALYSIS);
      const [again] = await list(by, '?state=open');
      await declare(service, []);
      const refused = await report(by, again?.id ?? '');
      assert.deepEqual([refused.status, refused.code], [409, 'proposal_unrouted']);
    } finally {
      await declare(service, ['*.lantern.example']);
    }
  });

  it('needs no body', async () => {
    const { by, proposal } = await proposed();
    const path = `/api/proposals/${proposal.id}/report`;
    assert.equal((await rig.ask('POST', path, { token: by.token })).status, 201);
  });

  it('keeps the state if the report is deleted', async () => {
    const { by, proposal } = await proposed();
    const { json } = await report(by, proposal.id);
    const id = String(json['id']);
    assert.equal((await rig.remove(service, id, by.token)).status, 200);
    const again = await report(by, proposal.id);
    assert.deepEqual([again.status, again.json['id']], [200, id]);
  });

  it('is refused for proposals of other accounts, unknown and malformed ids', async () => {
    const { by, proposal } = await proposed();
    const mallory = await rig.researcher();
    for (const answer of [
      await report(mallory, proposal.id),
      await report(by, UNKNOWN),
      await dismiss(mallory, proposal.id),
      await dismiss(by, UNKNOWN),
    ])
      assert.deepEqual([answer.status, answer.headers['x-error-code']], [404, 'unknown_proposal']);
    assert.equal((await report(by, 'x')).status, 400);
    assert.equal((await list(by))[0]?.state, 'open');
  });

  it('is refused without the role researcher', async () => {
    const reader = await rig.reader();
    assert.equal((await report(reader, UNKNOWN)).status, 403);
    assert.equal((await dismiss(reader, UNKNOWN)).status, 403);
    assert.deepEqual(await list(reader), []);
    assert.equal((await rig.ask('GET', '/api/proposals')).status, 401);
  });
});

describe('dismissing a proposal', () => {
  it('keeps the reason and the note, and refuses a later report', async () => {
    const { by, proposal } = await proposed();
    const body = { reason: 'already_known', note: 'reported by phone' };
    const { json, status } = await dismiss(by, proposal.id, body);
    assert.equal(status, 200);
    assert.deepEqual(json['proposal'], { ...proposal, state: 'dismissed', ...body });
    const refused = await report(by, proposal.id);
    assert.deepEqual(
      [refused.status, refused.headers['x-error-code']],
      [409, 'proposal_dismissed'],
    );
    const again = await dismiss(by, proposal.id, { reason: 'wrong_service' });
    const { reason, note } = again.json['proposal'] as Record<string, unknown>;
    assert.deepEqual([reason, note], ['wrong_service', null]);
  });

  it('is refused after a report, and for unknown reasons', async () => {
    const { by, proposal } = await proposed();
    const unknown = await dismiss(by, proposal.id, { reason: 'boring', note: '\u202e' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /reason must be one of already_known, not_malicious/);
    assert.match(unknown.text, /note must be a text/);
    await report(by, proposal.id);
    const { status, headers } = await dismiss(by, proposal.id);
    assert.deepEqual([status, headers['x-error-code']], [409, 'proposal_reported']);
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const other = await rig.researcher();

const draft = {
  c2Address: 'Evil[.]preview[.]example:4444',
  file256Hash: sha256Of('previewed').toUpperCase(),
  tags: ['asyncrat', 'rat'],
};

const preview = (service: string, body: unknown, token: string | undefined = researcher.token) =>
  rig.ask('POST', `/feed/${service}/preview`, { token, body });

describe('the preview of a report', () => {
  it('is the report that a create stores', async () => {
    const service = await rig.service({ hosts: ['*.preview.example'] });
    const { status, json } = await preview(service, draft);
    assert.equal(status, 200);
    const { report, ...rest } = json as { report: Record<string, unknown> };
    assert.deepEqual(rest, {
      problems: [],
      ownReports: 0,
      c2Rejected: false,
      service,
      feed: service,
      pattern: '*.preview.example',
      verified: false,
      knownAs: [],
      successful: true,
    });
    assert.equal(report['c2Address'], 'evil.preview.example:4444');
    assert.equal(report['firstSeenID'], null);
    assert.equal(report['confirmation'], 'unknown');

    const made = await rig.ask('POST', `/feed/${service}/api`, {
      token: researcher.token,
      body: draft,
    });
    const shown = await rig.ask('GET', `/feed/${service}/reports/${made.json['id']}`, {
      token: researcher.token,
    });
    const stored = shown.json['report'] as Record<string, unknown>;
    const { expiresAt: _, firstSeenID: __, ...compared } = report;
    for (const [name, value] of Object.entries(compared))
      assert.deepEqual(stored[name], value, name);
  });

  it('stores nothing, however often it is asked for', async () => {
    const service = await rig.service();
    for (let asked = 0; asked < 3; asked += 1) {
      const { json } = await preview(service, draft);
      assert.equal((json['report'] as { sightings: number }).sightings, 1);
    }
    const listed = await rig.ask('GET', `/feed/${service}/reports?count=true`, {
      token: researcher.token,
    });
    assert.equal(listed.json['total'], 0);
  });

  it('counts earlier reports, those of the caller apart', async () => {
    const service = await rig.service();
    const create = (token: string) =>
      rig.ask('POST', `/feed/${service}/api`, { token, body: draft });
    const first = await create(other.token);
    const seen = await preview(service, draft);
    assert.equal(seen.json['ownReports'], 0);
    assert.equal((seen.json['report'] as { firstSeenID: string }).firstSeenID, first.json['id']);
    await create(researcher.token);
    const { json } = await preview(service, draft);
    const { sightings, corroboration } = json['report'] as Record<string, number>;
    assert.deepEqual([json['ownReports'], sightings, corroboration], [1, 3, 1]);
  });

  it('tells by member what the create would refuse, in its words', async () => {
    const service = await rig.service();
    const body = { c2Address: 'x', tags: ['', ''], confidenceScore: 101 };
    const { status, json } = await preview(service, body);
    assert.equal(status, 200);
    assert.equal(json['report'], null);
    const problems = json['problems'] as { field: string; error: string }[];
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['c2Address', 'file256Hash', 'tags', 'confidenceScore'],
    );
    const created = await rig.ask('POST', `/feed/${service}/api`, {
      token: researcher.token,
      body,
    });
    assert.equal(created.json['error'], problems.map(({ error }) => error).join(' '));
  });

  it('is refused like the create', async () => {
    const service = await rig.service();
    const { token } = await rig.reader();
    const bodies = [{ ...draft, extra: 1 }, { ...draft, confidenceScore: 101, extra: 1 }, []];
    for (const body of bodies) {
      const refused = await preview(service, body);
      const created = await rig.ask('POST', `/feed/${service}/api`, {
        token: researcher.token,
        body,
      });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.json, created.json);
    }
    assert.equal((await preview(service, draft, token)).code, 'role_missing');
    assert.equal((await preview('nobody', draft)).code, 'unknown_service');
    assert.equal(
      (await rig.ask('POST', `/feed/${service}/preview`, { body: draft })).code,
      'token_missing',
    );
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createBody, sha256Of } from '../../builders.ts';
import { openRig, ownRig, type Rig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const DAY_MS = 86_400_000;

async function parties(on: Rig = rig) {
  return { service: await on.service(), token: (await on.researcher()).token };
}

function withKey(key: string): Record<string, string> {
  return { 'idempotency-key': key };
}

describe('a create with an Idempotency-Key', () => {
  it('is answered like any other create the first time', async () => {
    const { service, token } = await parties();
    const answer = await rig.create(service, token, {}, withKey('"k"'));
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['idempotent-replayed'], undefined);
  });

  it('gets the first response again when it is repeated, marked as a replay', async () => {
    const { service, token } = await parties();
    const first = await rig.create(service, token, {}, withKey('"k"'));
    const changes = await rig.changesDuring(service, async () => {
      const again = await rig.create(service, token, {}, withKey('"k"'));
      assert.equal(again.status, 201);
      assert.equal(again.text, first.text);
      assert.equal(again.headers['location'], first.headers['location']);
      assert.equal(again.headers['idempotent-replayed'], 'true');
    });
    assert.equal(changes, 0);
  });

  it('may have its key with or without quotes', async () => {
    const { service, token } = await parties();
    const first = await rig.create(service, token, {}, withKey('"k-1"'));
    const again = await rig.create(service, token, {}, withKey('k-1'));
    assert.equal(again.json['id'], first.json['id']);
  });

  it('compares keys case-sensitively', async () => {
    const { service, token } = await parties();
    const first = await rig.create(service, token, {}, withKey('Key'));
    const other = await rig.create(service, token, {}, withKey('key'));
    assert.notEqual(other.json['id'], first.json['id']);
  });

  it('is the same request if the body differs only in its formatting', async () => {
    const { service, token } = await parties();
    const hash = sha256Of('writing');
    const first = await rig.create(service, token, { file256Hash: hash }, withKey('k'));
    const again = await rig.ask('POST', `/feed/${service}/api`, {
      token,
      headers: { ...withKey('k'), 'content-type': 'application/json' },
      payload: `{ "tags": [],\n "file256Hash": "${hash.toUpperCase()}", "c2Address": "evil[.]example:4444" }`,
    });
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(again.json['id'], first.json['id']);
  });

  for (const [what, members] of Object.entries({
    'another C2': { c2Address: 'evil.example:4445' },
    'another hash': { file256Hash: sha256Of('another') },
    'other tags': { tags: ['x'] },
    'another link': { referenceLink: 'https://x.example/' },
    'another confidence': { confidenceScore: 51 },
  })) {
    it(`is refused with 422 when the key comes with ${what}`, async () => {
      const { service, token } = await parties();
      await rig.create(service, token, {}, withKey('k'));
      const changes = await rig.changesDuring(service, async () => {
        const answer = await rig.create(service, token, members, withKey('k'));
        assert.equal(answer.status, 422);
        assert.equal(answer.code, 'idempotency_key_reused');
      });
      assert.equal(changes, 0);
    });
  }

  it('keeps the first response when another body was refused', async () => {
    const { service, token } = await parties();
    const first = await rig.create(service, token, {}, withKey('k'));
    await rig.create(service, token, { tags: ['x'] }, withKey('k'));
    const again = await rig.create(service, token, {}, withKey('k'));
    assert.equal(again.json['id'], first.json['id']);
  });

  it('is not stored if it was refused', async () => {
    const { service, token } = await parties();
    const bad = await rig.create(service, token, { c2Address: 'x' }, withKey('k'));
    assert.equal(bad.status, 400);
    const good = await rig.create(service, token, {}, withKey('k'));
    assert.equal(good.status, 201);
    assert.equal(good.headers['idempotent-replayed'], undefined);
  });

  it('creates one report for concurrent requests', async () => {
    const { service, token } = await parties();
    const changes = await rig.changesDuring(service, async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => rig.create(service, token, {}, withKey('k'))),
      );
      assert.ok(answers.every(({ status }) => status === 201));
      assert.equal(new Set(answers.map(({ json }) => json['id'])).size, 1);
      const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
      assert.equal(replayed.length, 49);
    });
    assert.equal(changes, 1);
  });

  it('creates one report from one of several concurrent bodies', async () => {
    const { service, token } = await parties();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        rig.create(service, token, { confidenceScore: index }, withKey('k')),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array.from({ length: 9 }, () => 422)]);
  });

  it('is independent of the same key of another account', async () => {
    const { service, token } = await parties();
    const other = await rig.researcher();
    const first = await rig.create(service, token, {}, withKey('k'));
    const second = await rig.create(service, other.token, { tags: ['x'] }, withKey('k'));
    assert.equal(second.status, 201);
    assert.notEqual(second.json['id'], first.json['id']);
  });

  it('is independent of the same key in another feed', async () => {
    const { service, token } = await parties();
    const elsewhere = await rig.service();
    await rig.create(service, token, {}, withKey('k'));
    const second = await rig.create(elsewhere, token, { tags: ['x'] }, withKey('k'));
    assert.equal(second.status, 201);
    assert.equal(second.headers['idempotent-replayed'], undefined);
  });

  it('is the same request with another token of the account', async () => {
    const { service, token } = await parties();
    const issued = await rig.ask('POST', '/api/tokens', { token });
    const first = await rig.create(service, token, {}, withKey('k'));
    const again = await rig.create(service, String(issued.json['token']), {}, withKey('k'));
    assert.equal(again.json['id'], first.json['id']);
  });

  it('gets the first response again after the report was deleted, and does not restore it', async () => {
    const { service, token } = await parties();
    const first = await rig.create(service, token, {}, withKey('k'));
    const id = first.json['id'] as string;
    await rig.remove(service, id, token);
    const again = await rig.create(service, token, {}, withKey('k'));
    assert.equal(again.json['id'], id);
    assert.equal((await rig.get(service, id)).status, 404);
  });

  it('is stored for 24 hours, and not longer', async (test) => {
    const own = await ownRig(test);
    const { service, token } = await parties(own);
    const first = await own.create(service, token, {}, withKey('k'));
    own.clock.advance(DAY_MS - 1);
    const again = await own.create(service, token, {}, withKey('k'));
    assert.equal(again.json['id'], first.json['id']);
    own.clock.advance(1);
    const later = await own.create(service, token, { tags: ['x'] }, withKey('k'));
    assert.equal(later.status, 201);
    assert.notEqual(later.json['id'], first.json['id']);
    const laterAgain = await own.create(service, token, { tags: ['x'] }, withKey('k'));
    assert.equal(laterAgain.json['id'], later.json['id']);
  });

  it('is removed by housekeeping after its expiry, and not before', async (test) => {
    const own = await ownRig(test);
    const { service, token } = await parties(own);
    const first = await own.create(service, token, {}, withKey('k'));
    await own.deps.store.reports.deleteOldRetryKeys(own.clock.now(), 100);
    const again = await own.create(service, token, {}, withKey('k'));
    assert.equal(again.json['id'], first.json['id']);
  });

  it('may have a key of 255 characters', async () => {
    const { service, token } = await parties();
    const answer = await rig.create(service, token, {}, withKey('k'.repeat(255)));
    assert.equal(answer.status, 201);
  });

  for (const [what, key] of Object.entries({
    empty: '',
    'empty in quotes': '""',
    'of 256 characters': 'k'.repeat(256),
    'with one quote': '"k',
    'with a blank and no quotes': 'a b',
    'of non-ASCII letters': 'caf\u00e9',
  })) {
    it(`is refused with 400 when the key is ${what}`, async () => {
      const { service, token } = await parties();
      const changes = await rig.changesDuring(service, async () => {
        const answer = await rig.create(service, token, {}, withKey(key));
        assert.equal(answer.status, 400);
        assert.equal(answer.code, 'invalid_header');
        assert.match(String(answer.json['error']), /^Idempotency-Key must be /);
      });
      assert.equal(changes, 0);
    });
  }
});

describe('a create without an Idempotency-Key', () => {
  it('creates a report every time', async () => {
    const { service, token } = await parties();
    const changes = await rig.changesDuring(service, () =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          rig.ask('POST', `/feed/${service}/api`, { token, body: createBody() }),
        ),
      ),
    );
    assert.equal(changes, 20);
  });
});

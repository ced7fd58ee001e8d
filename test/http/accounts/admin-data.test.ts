import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of, type WireAnalysis, wireAnalysis } from '../../builders.ts';
import { openRig, ownRig } from '../http-rig.ts';
import { listen, talk } from '../wire.ts';

const rig = await openRig();
after(() => rig.close());

const token = rig.admin;
const reader = await rig.reader({ limit: null, period: 'day' });
const NO_SUCH_ID = '01a03d83-2500-7000-8000-000000000000';

function lines(...analyses: readonly unknown[]): string {
  return analyses.map((analysis) => `${JSON.stringify(analysis)}\n`).join('');
}

async function isKnown({ sha256Hash }: WireAnalysis): Promise<boolean> {
  return (await rig.lookUp(sha256Hash, reader.token)).status === 200;
}

describe('importing analysis reports', () => {
  it('returns the outcome of the lines', async () => {
    const file = rig.fresh('file');
    const first = wireAnalysis(file);
    const second = wireAnalysis(rig.fresh('file'));
    const answer = await rig.importLines(lines(first, second));
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      added: 2,
      replaced: 0,
      unchanged: 0,
      refused: 0,
      refusals: [],
      successful: true,
    });
    const again = await rig.importLines(lines(first, { ...second, fileName: 'new' }));
    assert.equal(again.json['unchanged'], 1);
    assert.equal(again.json['replaced'], 1);
  });

  it('accepts the response of a lookup, and returns it unchanged', async () => {
    const analysis = await rig.analyse(rig.fresh('file'));
    const { text } = await rig.lookUp(analysis.sha256Hash, reader.token);
    assert.equal((await rig.importLines(`${text}\n`)).json['unchanged'], 1);
  });

  it('accepts hashes in any case and stores them in lower case', async () => {
    const analysis = wireAnalysis(rig.fresh('file'));
    const { sha256Hash, sha512Hash, blake3Hash, mD5Hash, sha1Hash } = analysis;
    const upper = Object.fromEntries(
      Object.entries({ sha256Hash, sha512Hash, blake3Hash, mD5Hash, sha1Hash }).map(
        ([name, hash]) => [name, hash.toUpperCase()],
      ),
    );
    await rig.importLines(lines({ ...analysis, ...upper }));
    assert.deepEqual((await rig.lookUp(sha256Hash, reader.token)).json, analysis);
  });

  it('skips empty lines but counts them, and needs no newline at the end', async () => {
    const good = JSON.stringify(wireAnalysis(rig.fresh('file')));
    const answer = await rig.importLines(`\n\r\n${good}\r\n\nx`);
    assert.equal(answer.json['added'], 1);
    const refusals = answer.json['refusals'] as { line: number }[];
    assert.deepEqual(
      refusals.map(({ line }) => line),
      [5],
    );
  });

  it('accepts a byte order mark before the first line', async () => {
    const answer = await rig.importLines(`\ufeff${lines(wireAnalysis(rig.fresh('file')))}`);
    assert.equal(answer.json['added'], 1);
  });

  it('refuses an empty body like an empty batch of reports, and does not record it', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const imports = async () => {
      const { json } = await rig.ask('GET', '/admin/audit?action=sample.import', { token });
      return (json['entries'] as { id: number }[])[0]?.id;
    };
    const before = await imports();
    const batch = await rig.bulk(service, researcher.token, []);
    assert.deepEqual([batch.status, batch.code], [400, 'invalid_body']);
    for (const answer of [
      await rig.ask('POST', '/admin/samples', { token }),
      await rig.importLines(''),
      await rig.importLines('\n\r\n\n'),
    ]) {
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
      assert.equal(answer.json['error'], batch.json['error']);
    }
    assert.equal(await imports(), before);
  });

  it('refuses lines without affecting the others, and lists them in order', async () => {
    const [one, other, third] = ['a', 'b', 'c'].map(() => wireAnalysis(rig.fresh('file')));
    const foreign = { ...wireAnalysis(rig.fresh('file')), blake3Hash: one?.blake3Hash };
    const payload = `${lines(one)}${lines(foreign)}{\n${lines({ ...other, date: 'x' })}${lines(third)}`;
    const answer = await rig.importLines(payload);
    assert.equal(answer.json['added'], 2);
    assert.equal(answer.json['refused'], 3);
    assert.deepEqual(
      (answer.json['refusals'] as { line: number; error: string }[]).map(({ line, error }) => [
        line,
        error.slice(0, 20),
      ]),
      [
        [2, 'another file already'],
        [3, 'the line is not vali'],
        [4, 'date must be a UTC t'],
      ],
    );
  });

  it('lists the first thousand refusals and counts all', async () => {
    const answer = await rig.importLines('x\n'.repeat(1500));
    assert.equal(answer.json['refused'], 1500);
    assert.equal((answer.json['refusals'] as unknown[]).length, 1000);
  });

  for (const [kind, members] of Object.entries({
    sha256: { sha256Hash: sha256Of('conflict 1') },
    sha512: { sha512Hash: sha256Of('conflict 2').repeat(2) },
    blake3: { blake3Hash: sha256Of('conflict 3') },
  })) {
    it(`refuses another file with the ${kind} of a known one, which stays unchanged`, async () => {
      const known = await rig.analyse(rig.fresh('file'), members);
      const other = wireAnalysis(rig.fresh('file'), members);
      const answer = await rig.importLines(lines(other));
      assert.equal(answer.json['refused'], 1);
      const found = await rig.lookUp(known.sha512Hash, reader.token);
      assert.equal(found.json['fileName'], known.fileName);
    });
  }

  for (const [what, members, error] of [
    ['a date without a zone', { date: '2026-08-26T10:00:00' }, /^date must be/],
    ['a date on no day', { date: '2026-02-30T10:00:00Z' }, /^date must be/],
    ['a heat of 0', { tags: [{ heat: 0, name: 'X' }] }, /^tags must be/],
    ['a heat of 11', { tags: [{ heat: 11, name: 'X' }] }, /^tags must be/],
    ['a tag with another member', { tags: [{ heat: 1, name: 'X', x: 1 }] }, /^tags must be/],
    ['a tag with a line end', { tags: [{ heat: 1, name: 'X\n' }] }, /^tags must be/],
    ['configs that are a list', { configs: [] }, /^configs must be/],
    ['a family that is no object', { configs: { X: 1 } }, /^configs must be/],
    ['a family without a name', { configs: { '': {} } }, /^configs must be/],
    ['a family with a control character', { configs: { 'X\u0000': {} } }, /^configs must be/],
    ['a family of 65 characters', { configs: { ['X'.repeat(65)]: {} } }, /^configs must be/],
    ['an MD5 that is short', { mD5Hash: 'ab' }, /^mD5Hash must be 32/],
    ['an invalid SHA-256', { sha256Hash: 'x'.repeat(64) }, /^sha256Hash must be 64/],
    ['a negative size', { sizeInBytes: -1 }, /^sizeInBytes must be/],
    ['half a byte', { sizeInBytes: 0.5 }, /^sizeInBytes must be/],
    ['a member too many', { extra: 1 }, /^"extra" is not known here/],
    ['a member missing', { ssDeep: undefined }, /^ssDeep is missing/],
  ] as const) {
    it(`refuses a line with ${what}`, async () => {
      const analysis = wireAnalysis(rig.fresh('file'));
      const answer = await rig.importLines(lines({ ...analysis, ...members }));
      assert.equal(answer.json['added'], 0);
      const [refusal] = answer.json['refusals'] as [{ line: number; error: string }];
      assert.match(refusal.error, error);
      assert.equal(await isKnown(analysis), false);
    });
  }

  it('refuses lines that are no object, not UTF-8 or too long', async () => {
    const payload = Buffer.concat([
      Buffer.from('[]\nnull\n"x"\n1\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`"${'x'.repeat(1024 * 1024)}"\n`),
    ]);
    const answer = await rig.importLines(payload);
    assert.equal(answer.json['refused'], 6);
    const [, , , , invalid, long] = answer.json['refusals'] as { error: string }[];
    assert.match(invalid?.error ?? '', /not valid JSON in UTF-8/);
    assert.match(long?.error ?? '', /at most 1048576 bytes/);
  });

  it('refuses deeply nested settings, and accepts the other lines', async () => {
    const good = wireAnalysis(rig.fresh('file'));
    const tower = JSON.stringify(
      wireAnalysis(rig.fresh('file'), { configs: { X: { y: 0 } } }),
    ).replace('"y":0', `"y":${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const answer = await rig.importLines(`${tower}\n${lines(good)}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json['refused'], 1);
    assert.equal(await isKnown(good), true);
  });

  it('refuses a member named __proto__ rather than drop it', async () => {
    for (const name of ['"X"', '"y"']) {
      const line = JSON.stringify(
        wireAnalysis(rig.fresh('file'), { configs: { X: { y: 1 } } }),
      ).replace(name, '"__proto__"');
      assert.equal((await rig.importLines(line)).json['refused'], 1);
    }
    assert.equal(Object.hasOwn(Object.prototype, 'y'), false);
  });

  it('accepts other media types of NDJSON', async () => {
    for (const type of ['application/ndjson', 'application/jsonl', 'application/x-ndjson']) {
      const answer = await rig.ask('POST', '/admin/samples', {
        token,
        headers: { 'content-type': type },
        payload: lines(wireAnalysis(rig.fresh('file'))),
      });
      assert.equal(answer.json['added'], 1);
    }
  });

  for (const [what, headers] of Object.entries({
    JSON: { 'content-type': 'application/json' },
    text: { 'content-type': 'text/plain' },
    'no type': {},
    'a compressed body': {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    },
  })) {
    it(`returns 415 for ${what}, and names the accepted type`, async () => {
      const analysis = wireAnalysis(rig.fresh('file'));
      const payload = lines(analysis);
      const answer = await rig.ask('POST', '/admin/samples', { token, headers, payload });
      assert.equal(answer.status, 415);
      assert.equal(answer.code, 'unsupported_media_type');
      assert.match(String(answer.json['error']), /application\/x-ndjson/);
      assert.equal(await isKnown(analysis), false);
    });
  }

  it('accepts more than the limit of other bodies', async () => {
    const many = Array.from({ length: 300 }, () => wireAnalysis(rig.fresh('file')));
    const answer = await rig.importLines(lines(...many));
    assert.equal(answer.json['added'], 300);
  });

  it('reads the rest of the body after the store has failed', {
    timeout: 60_000,
  }, async (test) => {
    const failing = await ownRig(test, {
      between: (store) => ({
        ...store,
        samples: { ...store.samples, putAll: () => Promise.reject(new Error('the disk failed')) },
      }),
    });
    await listen(failing);
    const body = lines(wireAnalysis('f1')).repeat(5000) + '\n'.repeat(16_000_000);
    const head = `POST /admin/samples HTTP/1.1\r\nHost: x\r\nAuthorization: ${failing.admin}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.length}\r\n\r\n`;
    const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const received = await talk(failing, (socket) => socket.write(head + body + next));
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 500', 'HTTP/1.1 200']);
  });

  it('is written into the audit log, with its counts', async () => {
    await rig.importLines(`x\n${lines(wireAnalysis(rig.fresh('file')))}`);
    const [entry] = await rig.audit();
    assert.equal(entry?.['action'], 'sample.import');
    assert.equal(entry['actor'], 'admin');
    assert.deepEqual(entry['detail'], { added: 1, replaced: 0, unchanged: 0, refused: 1 });
  });
});

describe('removing an analysis report', () => {
  it('returns a message and the flag', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const answer = await rig.ask('DELETE', `/admin/samples/${sha256Hash}?reason=law`, { token });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      message: `The analysis report of ${sha256Hash} was removed.`,
      successful: true,
    });
  });

  it('excludes the file from later imports', async () => {
    const analysis = await rig.analyse(rig.fresh('file'));
    await rig.ask('DELETE', `/admin/samples/${analysis.sha256Hash}?reason=law`, { token });
    const answer = await rig.importLines(lines(analysis));
    assert.equal(answer.json['refused'], 1);
    assert.equal(await isKnown(analysis), false);
  });

  it('accepts the hash in any case', async () => {
    const analysis = await rig.analyse(rig.fresh('file'));
    const url = `/admin/samples/${analysis.sha256Hash.toUpperCase()}?reason=law`;
    assert.equal((await rig.ask('DELETE', url, { token })).status, 200);
    assert.equal(await isKnown(analysis), false);
  });

  it('returns 404 for an unknown or already removed one', async () => {
    const { sha256Hash, blake3Hash } = await rig.analyse(rig.fresh('file'));
    const url = `/admin/samples/${sha256Hash}?reason=law`;
    const byBlake3 = await rig.ask('DELETE', `/admin/samples/${blake3Hash}?reason=x`, { token });
    assert.equal(byBlake3.status, 404);
    await rig.ask('DELETE', url, { token });
    const answer = await rig.ask('DELETE', url, { token });
    assert.equal(answer.status, 404);
    assert.equal(answer.code, 'unknown_sample');
  });

  it('is written into the audit log, with the reason', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    await rig.ask('DELETE', `/admin/samples/${sha256Hash}?reason=court%20order`, { token });
    const [entry] = await rig.audit();
    assert.equal(entry?.['action'], 'sample.purge');
    assert.equal(entry['subject'], sha256Hash);
    assert.deepEqual(entry['detail'], { reason: 'court order' });
  });
});

describe('removing a report', () => {
  it('returns a message and the flag, and deletes the report', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    const answer = await rig.ask('DELETE', `/admin/reports/${id}?reason=law`, { token });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { message: `Report ${id} was removed.`, successful: true });
    assert.equal((await rig.get(service, id)).status, 404);
  });

  it('is one change of its feed', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    const url = `/admin/reports/${id}?reason=law`;
    assert.equal(await rig.changesDuring(service, () => rig.ask('DELETE', url, { token })), 1);
  });

  it('returns 404 for an unknown or already removed one', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const id = await rig.report(service, researcher.token);
    await rig.remove(service, id, researcher.token);
    for (const gone of [id, NO_SUCH_ID]) {
      const answer = await rig.ask('DELETE', `/admin/reports/${gone}?reason=law`, { token });
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_report_id');
    }
  });

  it('is written into the audit log, with the reason', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    await rig.ask('DELETE', `/admin/reports/${id}?reason=mistake`, { token });
    const [entry] = await rig.audit();
    assert.equal(entry?.['action'], 'report.purge');
    assert.equal(entry['subject'], id);
    assert.deepEqual(entry['detail'], { service, reason: 'mistake' });
  });
});

describe('the reason of a removal', () => {
  for (const [what, query] of Object.entries({
    empty: '?reason=',
    blank: '?reason=%20',
    'of 501 characters': `?reason=${'x'.repeat(501)}`,
    'given twice': '?reason=a&reason=b',
    'one with a line end': '?reason=a%0Ab',
    'one with a control character': '?reason=%00',
  })) {
    it(`is refused when it is ${what}, and nothing is removed`, async () => {
      const service = await rig.service();
      const id = await rig.report(service, (await rig.researcher()).token);
      const analysis = await rig.analyse(rig.fresh('file'));
      for (const url of [`/admin/reports/${id}`, `/admin/samples/${analysis.sha256Hash}`]) {
        const answer = await rig.ask('DELETE', `${url}${query}`, { token });
        assert.equal(answer.status, 400);
        assert.equal(answer.code, 'invalid_query');
        assert.match(String(answer.json['error']), /^reason (?:must be|is missing)/);
      }
      assert.equal((await rig.get(service, id)).status, 200);
      assert.equal(await isKnown(analysis), true);
    });
  }

  it('is stored as "none given" if it is missing', async () => {
    const service = await rig.service();
    const id = await rig.report(service, (await rig.researcher()).token);
    assert.equal((await rig.ask('DELETE', `/admin/reports/${id}`, { token })).status, 200);
    const { json } = await rig.ask('GET', '/admin/audit?limit=1', { token });
    const [entry] = json['entries'] as { detail: unknown }[];
    assert.deepEqual(entry?.detail, { service, reason: 'none given' });
  });

  it('does not make a path without an id or hash valid', async () => {
    for (const url of ['/admin/reports/x?reason=y', '/admin/samples/x?reason=y']) {
      const answer = await rig.ask('DELETE', url, { token });
      assert.equal(answer.status, 400);
      assert.match(String(answer.json['error']), /^(?:id|sha256) must be/);
    }
  });
});

describe('the audit log', () => {
  it('lists entries with six fields, the newest first', async () => {
    await rig.ask('POST', '/admin/services', { token, body: { slug: rig.fresh('svc') } });
    await rig.ask('POST', '/admin/services', { token, body: { slug: rig.fresh('svc') } });
    const answer = await rig.ask('GET', '/admin/audit', { token });
    assert.deepEqual(Object.keys(answer.json), ['entries', 'nextBefore']);
    const entries = answer.json['entries'] as Record<string, unknown>[];
    for (const entry of entries)
      assert.deepEqual(Object.keys(entry).sort(), [
        'action',
        'actor',
        'at',
        'detail',
        'id',
        'subject',
      ]);
    const ids = entries.map(({ id }) => Number(id));
    assert.deepEqual(
      ids,
      [...ids].sort((one, other) => other - one),
    );
  });

  it('is paged without gaps or repeats', async () => {
    for (let round = 0; round < 5; round += 1) await rig.service();
    const all = (await rig.audit()).map(({ id }) => Number(id));
    const read: number[] = [];
    let query = '?limit=2';
    for (;;) {
      const answer = await rig.ask('GET', `/admin/audit${query}`, { token });
      const page = (answer.json['entries'] as { id: number }[]).map(({ id }) => id);
      if (page.length === 0) break;
      read.push(...page);
      query = `?limit=2&before=${page.at(-1)}`;
    }
    assert.deepEqual(read, all);
  });

  it('starts with the creation of the first account', async () => {
    const entry = (await rig.audit()).at(-1);
    assert.equal(entry?.['action'], 'account.add');
    assert.equal(entry['subject'], 'admin');
    assert.equal(entry['actor'], 'first start');
  });

  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'limit=1.5',
    'before=0',
    'before=-1',
    'before=99999999999999999999',
  ]) {
    it(`refuses ${query} and names the parameter`, async () => {
      const answer = await rig.ask('GET', `/admin/audit?${query}`, { token });
      assert.equal(answer.status, 400);
      assert.match(String(answer.json['error']), new RegExp(`^${query.split('=')[0]} must be`));
    });
  }

  it('has no entry for a refused request', async () => {
    const before = await rig.audit();
    await rig.ask('POST', '/admin/services', { token, body: { slug: 'all' } });
    await rig.ask('POST', '/admin/accounts', { token, body: { name: 'admin' } });
    await rig.ask('PATCH', '/admin/accounts/nobody', { token, body: {} });
    await rig.ask('DELETE', `/admin/reports/${NO_SUCH_ID}?reason=x`, { token });
    assert.deepEqual(await rig.audit(), before);
  });
});

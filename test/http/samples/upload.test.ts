import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import type { Answer } from '../contract.ts';
import { digestOf, FORM_TYPE, filePart, form, openRig, ownRig, part } from '../http-rig.ts';

const LIMIT = 100_000;
const rig = await openRig({ uploadLimitBytes: LIMIT });
after(() => rig.close());

const { token } = await rig.researcher();
const HEADERS: Record<string, string> = { 'content-type': FORM_TYPE };
/** Bytes that no other test uploads. */
const fresh = () => rig.fresh('the bytes of a file');

function post(payload: string | Buffer, headers = HEADERS) {
  return rig.ask('POST', '/private/upload', { token, headers, payload });
}

async function stateOf(sha256: string): Promise<unknown> {
  return (await rig.ask('GET', `/private/sample/${sha256}/status`, { token })).json['status'];
}

async function fileNameOf(sha256: string): Promise<string | undefined> {
  const hash = { hex: sha256, kinds: ['sha256'] as const };
  return (await rig.deps.store.samples.find(hash))?.fileName;
}

describe('an upload', () => {
  it('returns two hashes of the file and the status queued', async () => {
    const bytes = fresh();
    const answer = await rig.upload(token, bytes);
    assert.equal(answer.status, 200);
    assert.equal(answer.json['sha256Hash'], digestOf(bytes));
    assert.match(String(answer.json['blake3Hash']), /^[0-9a-f]{64}$/);
    assert.deepEqual(Object.keys(answer.json), ['blake3Hash', 'sha256Hash', 'status']);
    assert.equal(answer.json['status'], 'queued');
    assert.equal(await stateOf(digestOf(bytes)), 'queued');
  });

  it('stores exactly these bytes', async () => {
    const bytes = randomBytes(LIMIT);
    const sha256 = await rig.uploaded(bytes);
    const pieces: Buffer[] = [];
    for await (const piece of (await rig.deps.files.read(sha256)) ?? []) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(bytes));
  });

  it('stores bytes that resemble the end of the form', async () => {
    const bytes = `\r\n--a-boundar\r\n-a-boundary--\r\n--other--${fresh()}\r\n--\r\n`;
    assert.equal(await rig.uploaded(bytes), digestOf(bytes));
  });

  it('adds one job, and wakes its runner', async () => {
    let woken = 0;
    const end = rig.deps.analysisEvents.onSubmitted(() => {
      woken += 1;
    });
    const before = await rig.countJobs();
    await rig.uploaded(fresh());
    end();
    assert.equal(woken, 1);
    assert.equal(await rig.countJobs(), before + 1);
  });

  it('takes no quota', async () => {
    const account = await rig.account({
      roles: ['researcher'],
      quota: { limit: 0, period: 'none' },
    });
    assert.equal((await rig.upload(account.token, fresh())).status, 200);
  });

  it('of the same bytes returns the same, and is stored and analysed once', async () => {
    const bytes = fresh();
    const [depth, files] = [await rig.countJobs(), await rig.filesLeft()];
    const first = await rig.upload(token, bytes, { fileName: 'first.exe' });
    const second = await rig.upload((await rig.researcher()).token, bytes, {
      fileName: 'second.exe',
    });
    assert.deepEqual(second.json, first.json);
    assert.equal(await rig.countJobs(), depth + 1);
    assert.equal((await rig.filesLeft()).length, files.length + 1);
    assert.equal(await fileNameOf(digestOf(bytes)), 'first.exe');
  });

  it('of the same bytes at the same time is one sample and one job', async () => {
    const bytes = fresh();
    const [depth, files] = [await rig.countJobs(), await rig.filesLeft()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => rig.upload(token, bytes)));
    for (const { json } of answers) assert.deepEqual(json, answers[0]?.json);
    assert.equal(await rig.countJobs(), depth + 1);
    assert.equal((await rig.filesLeft()).length, files.length + 1);
  });

  it('of an analysed file returns its status', async () => {
    const bytes = fresh();
    await rig.finish(await rig.uploaded(bytes));
    assert.equal((await rig.upload(token, bytes)).json['status'], 'done');
  });

  it('of a file whose analysis failed returns its status, and adds no job', async () => {
    const bytes = fresh();
    await rig.fail(await rig.uploaded(bytes));
    const depth = await rig.countJobs();
    assert.equal((await rig.upload(token, bytes)).json['status'], 'failed');
    assert.equal(await rig.countJobs(), depth);
  });

  it('of a file that is being analysed returns the status queued', async () => {
    const bytes = fresh();
    await rig.deps.store.samples.start(await rig.uploaded(bytes));
    assert.equal(await stateOf(digestOf(bytes)), 'running');
    assert.equal((await rig.upload(token, bytes)).json['status'], 'queued');
  });

  it('of a file that an operator removed is refused, and nothing is stored', async () => {
    const bytes = fresh();
    const sha256 = await rig.uploaded(bytes);
    await rig.ask('DELETE', `/admin/samples/${sha256}?reason=law`, { token: rig.admin });
    const files = await rig.filesLeft();
    const answer = await rig.upload(token, bytes);
    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'sample_removed');
    assert.deepEqual(await rig.filesLeft(), files);
    assert.equal(await stateOf(sha256), 'unknown');
  });
});

describe('the name of an uploaded file', () => {
  async function nameOf(disposition: string): Promise<string | undefined> {
    const bytes = fresh();
    const answer = await post(form(part(disposition, bytes)));
    assert.equal(answer.status, 200, answer.text);
    return fileNameOf(digestOf(bytes));
  }

  for (const [what, sent, kept] of [
    ['is that of the form', 'filename="evil.exe"', 'evil.exe'],
    ['may be in any script', 'filename="счёт 請求書.exe"', 'счёт 請求書.exe'],
    ['may be in the form of RFC 5987', "filename*=UTF-8''%e2%82%ac%20rates.exe", '€ rates.exe'],
    ['loses its folders', 'filename="C:\\Users\\me\\evil.exe"', 'evil.exe'],
    ['cannot lead anywhere', 'filename="../../../etc/passwd"', 'passwd'],
    ['loses what would deceive a reader', 'filename="invoice\u202Efdp.exe"', 'invoicefdp.exe'],
    ['has 255 characters at most', `filename="${'x'.repeat(300)}"`, 'x'.repeat(255)],
  ] as const) {
    it(what, async () => {
      assert.equal(await nameOf(`form-data; name="file"; ${sent}`), kept);
    });
  }

  for (const disposition of [
    'form-data; name="file"',
    'form-data; name="file"; filename=""',
    'form-data; name="file"; filename=".."',
  ]) {
    it(`is the hash if none was sent: ${disposition}`, async () => {
      const name = await nameOf(disposition);
      assert.match(name ?? '', /^[0-9a-f]{64}$/);
    });
  }
});

describe('an upload that waits', () => {
  const wait = (bytes: string, prefer: string) => rig.upload(token, bytes, { headers: { prefer } });

  it('is answered as soon as the analysis is done', async () => {
    const bytes = fresh();
    const end = rig.deps.analysisEvents.onSubmitted(() => void rig.finish(digestOf(bytes)));
    const answer = await wait(bytes, 'wait=30');
    end();
    assert.equal(answer.json['status'], 'done');
    assert.equal(answer.headers['preference-applied'], 'wait=30');
  });

  it('is answered as soon as the analysis has failed', async () => {
    const bytes = fresh();
    const end = rig.deps.analysisEvents.onSubmitted(() => void rig.fail(digestOf(bytes)));
    assert.equal((await wait(bytes, 'wait=30')).json['status'], 'failed');
    end();
  });

  it('sees an analysis that another process has done', async () => {
    const bytes = fresh();
    const end = rig.deps.analysisEvents.onSubmitted(
      () => void rig.deps.store.samples.fail(digestOf(bytes), 'why', rig.clock.now()),
    );
    assert.equal((await wait(bytes, 'wait=30')).json['status'], 'failed');
    end();
  });

  it('is answered with the current status at the timeout', async () => {
    const answer = await wait(fresh(), 'wait=0');
    assert.equal(answer.json['status'], 'queued');
    assert.equal(answer.headers['preference-applied'], 'wait=0');
  });

  it('waits for at most 30 seconds, and states it', async () => {
    const bytes = fresh();
    const end = rig.deps.analysisEvents.onSubmitted(() => void rig.finish(digestOf(bytes)));
    const answer = await wait(bytes, 'wait=3600');
    end();
    assert.equal(answer.headers['preference-applied'], 'wait=30');
  });

  it('does not wait for an invalid preference', async () => {
    for (const prefer of ['wait=soon', 'respond-async', 'wait']) {
      const answer = await wait(fresh(), prefer);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['preference-applied'], undefined);
    }
  });

  it('is answered at once when the server stops', async (test) => {
    const own = await ownRig(test);
    const { token: caller } = await own.researcher();
    own.deps.analysisEvents.onSubmitted(() => own.deps.analysisEvents.close());
    const answer = await own.upload(caller, 'bytes', { headers: { prefer: 'wait=30' } });
    assert.equal(answer.json['status'], 'queued');
  });
});

describe('an upload is refused', () => {
  let files: readonly string[] = [];
  let depth = 0;
  const settled = async () => {
    files = await rig.filesLeft();
    depth = await rig.countJobs();
  };
  /** A refused upload stores nothing. */
  afterEach(async () => {
    assert.deepEqual(await rig.filesLeft(), files);
    assert.equal(await rig.countJobs(), depth);
  });

  async function refused(payload: string | Buffer, headers = HEADERS): Promise<Answer> {
    await settled();
    return post(payload, headers);
  }

  it('to a caller who is no researcher', async () => {
    await settled();
    const answer = await rig.upload((await rig.reader()).token, 'bytes');
    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'role_missing');
    assert.equal((await rig.upload(rig.admin, 'bytes')).status, 403);
  });

  it('to a caller without a token', async () => {
    await settled();
    const answer = await rig.ask('POST', '/private/upload', {
      headers: HEADERS,
      payload: form(filePart('bytes', 'evil.exe')),
    });
    assert.equal(answer.status, 401);
  });

  it('if the file is empty', async () => {
    const answer = await refused(form(filePart('', 'evil.exe')));
    assert.equal(answer.status, 400);
    assert.equal(answer.code, 'empty_file');
  });

  for (const [what, payload, rule] of [
    ['the form is empty', form(), /^file is missing/],
    [
      'the field has another name',
      form(part('form-data; name="sample"; filename="x"', 'bytes')),
      /^"sample" is not known here; the one part is file\.$/,
    ],
    [
      'the field has no name',
      form(part('form-data; filename="x"', 'bytes')),
      /^A part without a name is not known/,
    ],
    [
      'a field comes before the file',
      form(part('form-data; name="tags"', 'rat'), filePart('bytes', 'x')),
      /^"tags" is not known/,
    ],
    [
      'a field comes after the file',
      form(filePart('bytes', 'x'), part('form-data; name="tags"', 'rat')),
      /^"tags" is not known/,
    ],
    [
      'there are two files',
      form(filePart('bytes', 'x'), filePart('others', 'y')),
      /^file must be given once/,
    ],
    [
      'the file is encoded',
      form(
        part(
          'form-data; name="file"; filename="x"',
          'Ynl0ZXM=',
          'Content-Transfer-Encoding: base64\r\n',
        ),
      ),
      /^file must be sent as it is/,
    ],
    [
      'the part is no form field',
      form(part('attachment; name="file"; filename="x"', 'bytes')),
      /^file is missing/,
    ],
  ] as const) {
    it(`if ${what}`, async () => {
      const answer = await refused(payload);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), rule);
    });
  }

  for (const [what, payload, headers] of [
    ['the form has no end', filePart('bytes', 'x'), HEADERS],
    [
      'the form ends within the file',
      filePart('x'.repeat(50_000), 'x').subarray(0, 30_000),
      HEADERS,
    ],
    ['the form ends within its head', filePart('bytes', 'x').subarray(0, 30), HEADERS],
    ['it is no form', 'bytes', HEADERS],
    [
      'the boundary is another',
      form(filePart('bytes', 'x')),
      { 'content-type': 'multipart/form-data; boundary=other' },
    ],
    [
      'there is no boundary',
      form(filePart('bytes', 'x')),
      { 'content-type': 'multipart/form-data' },
    ],
    [
      'the boundary is empty',
      form(filePart('bytes', 'x')),
      { 'content-type': 'multipart/form-data; boundary=' },
    ],
  ] as const) {
    it(`if ${what}`, async () => {
      const answer = await refused(payload, { ...headers });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'malformed_multipart');
    });
  }

  it('if there is no body', async () => {
    await settled();
    const answer = await rig.ask('POST', '/private/upload', { token });
    assert.equal(answer.code, 'invalid_body');
  });

  for (const type of [
    'application/json',
    'application/octet-stream',
    'text/plain',
    'multipart/mixed; boundary=a-boundary',
  ]) {
    it(`if its type is ${type}, and the error names the accepted type`, async () => {
      const answer = await refused('{}', { 'content-type': type });
      assert.equal(answer.status, 415);
      assert.match(String(answer.json['error']), /must be multipart\/form-data/);
    });
  }

  it('if it is compressed', async () => {
    const answer = await refused('bytes', { ...HEADERS, 'content-encoding': 'gzip' });
    assert.equal(answer.status, 415);
  });

  it('if the file is one byte too large, and the error states the limit', async () => {
    const answer = await refused(form(filePart(Buffer.alloc(LIMIT + 1), 'x')));
    assert.equal(answer.status, 413);
    assert.equal(answer.code, 'body_too_large');
    assert.match(String(answer.json['error']), /the limit is 100000 bytes/);
  });

  it('if the form around the file is too large', async () => {
    const junk = Buffer.alloc(LIMIT + 70_000, 'x');
    const answer = await refused(
      Buffer.concat([junk, Buffer.from('\r\n'), form(filePart('bytes', 'x'))]),
    );
    assert.equal(answer.status, 413);
  });
});

describe('an upload that cannot be stored', () => {
  it('is refused and stores nothing if the disk is full', async (test) => {
    const own = await ownRig(test, {
      betweenFiles: (files) => ({
        ...bind(files),
        receive: async () => {
          const incoming = await files.receive();
          return {
            write: () => Promise.reject(new Problem('unavailable', { cause: new Error('ENOSPC') })),
            keep: (sha256) => incoming.keep(sha256),
            discard: () => incoming.discard(),
          };
        },
      }),
    });
    const answer = await own.upload((await own.researcher()).token, 'bytes');
    assert.equal(answer.status, 503);
    assert.deepEqual(await own.filesLeft(), []);
  });

  it('is refused if the store does not answer, and succeeds the next time', async (test) => {
    let failing = true;
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        samples: {
          ...store.samples,
          submit: (upload) =>
            failing ? Promise.reject(new Problem('unavailable')) : store.samples.submit(upload),
        },
      }),
    });
    const { token: caller } = await own.researcher();
    assert.equal((await own.upload(caller, 'bytes')).status, 503);
    failing = false;
    assert.equal((await own.upload(caller, 'bytes')).status, 200);
    assert.equal((await own.filesLeft()).length, 1);
  });
});

/** A copy whose methods stay bound to the original. */
function bind(files: typeof rig.deps.files): typeof rig.deps.files {
  return {
    receive: () => files.receive(),
    read: (sha256) => files.read(sha256),
    has: (sha256) => files.has(sha256),
    remove: (sha256) => files.remove(sha256),
    sweep: () => files.sweep(),
  };
}

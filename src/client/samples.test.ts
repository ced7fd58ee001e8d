import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClientOptions, RapsheetClient } from './client.ts';
import { RapsheetError } from './error.ts';

const submitted = { blake3Hash: 'ab'.repeat(32), sha256Hash: 'cd'.repeat(32), status: 'queued' };
const unavailable = () =>
  Response.json(
    { error: 'not now', successful: false },
    { status: 503, headers: { 'x-error-code': 'unavailable' } },
  );

interface Seen {
  readonly request: Request;
  readonly form: FormData;
}

/** A client of a fake server with these answers, and the requests that it received. */
function clientOf(answers: readonly (() => Response)[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const client = new RapsheetClient({
    url: 'http://rapsheet.example',
    token: 'rap_secret',
    sleep: async () => undefined,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data');
      seen.push({ request, form: isForm === true ? await request.formData() : new FormData() });
      return answers[seen.length - 1]?.() ?? assert.fail('one call more than expected');
    },
    ...options,
  });
  return { client, seen };
}

async function fileOf({ form }: Seen) {
  const file = form.get('file');
  assert.ok(file instanceof File);
  assert.deepEqual([...form.keys()], ['file']);
  return { name: file.name, text: await file.text() };
}

function streamOf(...texts: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(texts.map((text) => new TextEncoder().encode(text)));
}

async function failure(call: Promise<unknown>): Promise<RapsheetError> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof RapsheetError, 'it was expected to fail');
  return error;
}

describe('uploading', () => {
  for (const [what, file] of [
    ['a blob', () => new Blob(['MZ', '\r\n--\r\n'])],
    ['a stream', () => streamOf('MZ', '\r\n--\r\n')],
  ] as const) {
    it(`sends ${what} as the one file of a form`, async () => {
      const { client, seen } = clientOf([() => Response.json(submitted)]);
      assert.deepEqual(await client.upload(file(), { fileName: 'evil é.exe' }), submitted);
      const [sent] = seen;
      assert.ok(sent);
      assert.deepEqual(await fileOf(sent), { name: 'evil é.exe', text: 'MZ\r\n--\r\n' });
      assert.equal(sent.request.method, 'POST');
      assert.equal(sent.request.headers.get('prefer'), null);
    });
  }

  it('sends a Prefer header to wait for the analysis', async () => {
    const { client, seen } = clientOf([() => Response.json(submitted)]);
    await client.upload(new Blob(['MZ']), { fileName: 'x', wait: 30 });
    assert.equal(seen[0]?.request.headers.get('prefer'), 'wait=30');
  });

  it('reports its progress', async () => {
    const { client, seen } = clientOf([() => Response.json(submitted)]);
    const sent: number[] = [];
    const onProgress = (bytes: number) => sent.push(bytes);
    await client.upload(streamOf('abc', 'de'), { fileName: 'x', onProgress });
    assert.deepEqual(sent, [3, 5]);
    assert.equal((await fileOf(seen[0] as Seen)).text, 'abcde');
  });

  it('escapes a file name that would break the form', async () => {
    const { client, seen } = clientOf([() => Response.json(submitted)]);
    const fileName = 'a"; name="other\r\n\r\nb';
    await client.upload(streamOf('MZ'), { fileName });
    assert.equal((await fileOf(seen[0] as Seen)).text, 'MZ');
  });

  it('retries a blob from its start, with and without progress', async () => {
    for (const onProgress of [undefined, () => undefined]) {
      const { client, seen } = clientOf([unavailable, () => Response.json(submitted)]);
      await client.upload(new Blob(['MZ']), { fileName: 'x', onProgress });
      assert.equal(seen.length, 2);
      assert.equal((await fileOf(seen[1] as Seen)).text, 'MZ');
    }
  });

  it('does not retry a stream, which is consumed', async () => {
    const { client, seen } = clientOf([unavailable]);
    const error = await failure(client.upload(streamOf('MZ'), { fileName: 'x' }));
    assert.equal(error.code, 'unavailable');
    assert.equal(seen.length, 1);
  });

  it('reports no answer when the stream of the file fails', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('the disk is gone')),
    });
    const { client } = clientOf([]);
    const error = await failure(client.upload(broken, { fileName: 'x' }));
    assert.equal(error.code, 'no_answer');
  });
});

describe('downloading', () => {
  const textOf = async (download: ReturnType<RapsheetClient['downloadSample']>) =>
    new Response((await download).body).text();

  it('streams the bytes', async () => {
    const { client } = clientOf([() => new Response(streamOf('PK', 'zip'))]);
    assert.equal(await textOf(client.downloadSample('ab')), 'PKzip');
  });

  it('names the file by its SHA-256', async () => {
    const sha256 = 'ab'.repeat(32);
    const named = (name: string) => () =>
      new Response('PK', { headers: { 'content-disposition': `attachment; filename="${name}"` } });
    const { client } = clientOf([named(`${sha256}.zip`), named('../../evil.zip')]);
    assert.equal((await client.downloadSample('ab')).sha256, sha256);
    assert.equal((await client.downloadSample('ab')).sha256, undefined);
  });

  it('throws a refusal', async () => {
    const { client } = clientOf([
      () =>
        Response.json(
          { error: 'We do not have it.', successful: false },
          { status: 404, headers: { 'x-error-code': 'unknown_file' } },
        ),
    ]);
    const error = await failure(client.downloadSample('ab'));
    assert.equal(error.code, 'unknown_file');
    assert.equal(error.status, 404);
  });

  it('is retried after 503', async () => {
    const { client } = clientOf([unavailable, () => new Response('PK')]);
    assert.equal(await textOf(client.downloadSample('ab')), 'PK');
  });

  it('fails after the timeout', async () => {
    const client = new RapsheetClient({
      url: 'http://rapsheet.example',
      retries: 0,
      timeoutMs: 10,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    });
    assert.match((await failure(client.downloadSample('ab'))).message, /in time/);
  });
});

describe('calls that cost units', () => {
  const QUOTA = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '7' };
  const quota = { limit: 10, remaining: 7, resetsAt: null };

  it('return the quota', async () => {
    const results = [{ hash: 'x', status: 400 }];
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s: [] };
    const { client } = clientOf([
      () => Response.json({ results, successful: true }, { headers: QUOTA }),
      () => Response.json({ similar: [], successful: true }, { headers: QUOTA }),
      () => Response.json({ similar: [], successful: true }, { headers: QUOTA }),
      () => Response.json({ similar: [], successful: true }, { headers: QUOTA }),
      () => Response.json({ details, successful: true }, { headers: QUOTA }),
    ]);
    assert.deepEqual(await client.lookUpMany(['x']), { results, quota });
    assert.deepEqual(await client.similar('x'), { similar: [], quota });
    assert.deepEqual(await client.similarToSsdeep('3::'), { similar: [], quota });
    assert.deepEqual(await client.similarToTlsh('T1'), { similar: [], quota });
    assert.deepEqual(await client.details('x'), { details, quota });
  });

  it('are not retried if the quota is too small and does not reset', async () => {
    const { client, seen } = clientOf([
      () =>
        Response.json(
          { error: 'too few', successful: false },
          { status: 429, headers: { ...QUOTA, 'x-error-code': 'quota_insufficient' } },
        ),
    ]);
    const error = await failure(client.lookUpMany(['x']));
    assert.equal(error.code, 'quota_insufficient');
    assert.deepEqual(error.quota, quota);
    assert.equal(seen.length, 1);
  });

  it('use the analysis URL', async () => {
    const { client, seen } = clientOf([() => Response.json({ status: 'done' })], {
      analysisUrl: 'http://analysis.example',
    });
    assert.deepEqual(await client.sampleStatus('ab'), { status: 'done' });
    assert.equal(seen[0]?.request.url, 'http://analysis.example/private/sample/ab/status');
  });
});

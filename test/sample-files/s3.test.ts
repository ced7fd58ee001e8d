import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BucketLocation } from '../../src/config/locations.ts';
import type { BucketTimeouts } from '../../src/sample-files/bucket.ts';
import { openSampleBucket } from '../../src/sample-files/s3.ts';
import { isUnavailable, keep, readAll, sampleFilesContract, sha256Of } from './contract.ts';
import { FaultyProxy, refuse } from './faulty-proxy.ts';
import { startS3, type TestS3 } from './s3-server.ts';

const PART = 8 * 1024 * 1024;
const HEADER = 40;
/** The bucket runs on the same machine, so a slow response is not an error. */
const LONG_TIMEOUTS = { callMs: 120_000, stallMs: 120_000 };

const root = mkdtempSync(join(tmpdir(), 'rapsheet-bucket-'));
const proxies: FaultyProxy[] = [];
let s3: TestS3;
before(async () => {
  s3 = await startS3();
});
after(async () => {
  for (const proxy of proxies) proxy.close();
  await s3.close();
  rmSync(root, { recursive: true });
});

const keyOf = ({ prefix }: BucketLocation, sha256: string) =>
  `${prefix}/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

async function keysOf({ bucket }: BucketLocation): Promise<(string | undefined)[]> {
  const { Contents = [] } = await s3.client.listObjectsV2({ Bucket: bucket });
  return Contents.map(({ Key }) => Key);
}

/** Creates a bucket behind a proxy that can be made to fail. */
async function newBucket(
  changes: Partial<BucketLocation> = {},
  timeouts: BucketTimeouts = LONG_TIMEOUTS,
) {
  const location = { ...(await s3.bucket()), ...changes };
  const proxy = new FaultyProxy(location.endpoint ?? '');
  const endpoint = await proxy.open();
  proxies.push(proxy);
  const incoming = mkdtempSync(join(root, 'incoming-'));
  const open = (probe: boolean) =>
    openSampleBucket({ ...location, endpoint }, { incoming, probe, timeouts });
  return { location, proxy, open, files: await open(false), arriving: () => readdirSync(incoming) };
}

sampleFilesContract('an S3 bucket', async () => {
  const { location, files, arriving } = await newBucket();
  const named = (sha256: string) => ({ Bucket: location.bucket, Key: keyOf(location, sha256) });
  return {
    files,
    stored: async (sha256) => {
      const { Body } = await s3.client.getObject(named(sha256));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    overwrite: async (sha256, Body) => {
      await s3.client.putObject({ ...named(sha256), Body });
    },
    arriving: async () => arriving().length,
  };
});

describe('a bucket of samples', () => {
  it('stores each under its hash, below the prefix', async () => {
    const { location, files } = await newBucket();
    const sha256 = await keep(files, randomBytes(10));
    assert.deepEqual(await keysOf(location), [keyOf(location, sha256)]);
  });

  it('needs no prefix', async () => {
    const { location, files } = await newBucket({ prefix: '' });
    const bytes = randomBytes(10);
    const sha256 = await keep(files, bytes);
    assert.deepEqual(await keysOf(location), [keyOf(location, sha256).slice(1)]);
    assert.ok((await readAll(files, sha256))?.equals(bytes));
  });

  for (const [size, parts] of [
    [PART - HEADER, 0],
    [PART - HEADER + 1, 2],
    [3 * PART - HEADER, 3],
    [5 * PART + 7, 6],
  ] as const) {
    it(`sends ${size} bytes in ${parts || 'no'} parts, and returns them unchanged`, async () => {
      const { proxy, files } = await newBucket();
      const bytes = randomBytes(size);
      const sha256 = await keep(files, bytes, 1_000_000);
      assert.equal(proxy.calls.filter((call) => call.includes('partNumber=')).length, parts);
      assert.ok((await readAll(files, sha256))?.equals(bytes));
    });
  }

  it('stores a sample once if several uploads send it concurrently', async () => {
    const { proxy, files } = await newBucket();
    const bytes = randomBytes(1000);
    const received = await Promise.all(Array.from({ length: 8 }, () => files.receive()));
    for (const incoming of received) await incoming.write(bytes);
    await Promise.all(received.map((incoming) => incoming.keep(sha256Of(bytes))));
    assert.equal(proxy.calls.filter((call) => call.startsWith('PUT')).length, 1);
  });

  it('stores it from the next upload if the first fails', async () => {
    const { proxy, files } = await newBucket();
    let refused = 0;
    proxy.fault = ({ method }, answer) =>
      method === 'PUT' && refused++ === 0 && refuse(answer, 403, 'AccessDenied');
    const bytes = randomBytes(1000);
    const kept = await Promise.allSettled(Array.from({ length: 4 }, () => keep(files, bytes)));
    assert.deepEqual(kept.map(({ status }) => status).sort(), [
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
  });

  it('stores no part of a large sample whose upload fails, and aborts the multipart upload', async () => {
    const { location, proxy, files, arriving } = await newBucket();
    proxy.fault = ({ url }, answer) =>
      url.includes('partNumber=2') && refuse(answer, 403, 'AccessDenied');
    const bytes = randomBytes(3 * PART);
    const incoming = await files.receive();
    await incoming.write(bytes);
    await assert.rejects(incoming.keep(sha256Of(bytes)), isUnavailable);
    assert.equal(await files.has(sha256Of(bytes)), false);
    assert.deepEqual(await keysOf(location), []);
    assert.ok(proxy.calls.some((call) => /^DELETE .*uploadId=/.test(call)));
    // The incoming file still exists: it can be retried or discarded.
    proxy.fault = () => false;
    await incoming.keep(sha256Of(bytes));
    assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    assert.deepEqual(arriving(), []);
  });

  it('has no parts left after an aborted upload', async (t) => {
    if (!s3.isStrict) return t.skip('s3rver cannot abort a multipart upload');
    const { location, proxy, files } = await newBucket();
    proxy.fault = ({ method, url }, answer) =>
      method === 'POST' && url.includes('uploadId=') && refuse(answer, 403, 'AccessDenied');
    await assert.rejects(keep(files, randomBytes(2 * PART)), isUnavailable);
    const { Uploads = [] } = await s3.client.listMultipartUploads({ Bucket: location.bucket });
    assert.deepEqual(Uploads, []);
  });

  for (const bytes of [0, 39, 40, 300_000, 600_000]) {
    it(`treats a transfer that is cut after ${bytes} bytes as an outage, never as the end of the sample`, async () => {
      const { proxy, files } = await newBucket();
      const sample = randomBytes(700_000);
      const sha256 = await keep(files, sample);
      proxy.cutAfterBytes = bytes;
      let readBytes = 0;
      await assert.rejects(async () => {
        for await (const piece of (await files.read(sha256)) ?? []) readBytes += piece.length;
      }, isUnavailable);
      assert.ok(readBytes < sample.length);
      proxy.cutAfterBytes = Number.POSITIVE_INFINITY;
      assert.ok((await readAll(files, sha256))?.equals(sample));
    });
  }

  it('treats a stalled transfer as an outage', async () => {
    const { proxy, files } = await newBucket({}, { ...LONG_TIMEOUTS, stallMs: 300 });
    const sha256 = await keep(files, randomBytes(700_000));
    proxy.cutAfterBytes = 300_000;
    proxy.stalls = true;
    await assert.rejects(readAll(files, sha256), isUnavailable);
  });

  it('has no time limit for a slow reader', async () => {
    const stallMs = 2000;
    const { files } = await newBucket({}, { ...LONG_TIMEOUTS, stallMs });
    const sample = randomBytes(6 * PART);
    const sha256 = await keep(files, sample);
    const pieces: Buffer[] = [];
    for await (const piece of (await files.read(sha256)) ?? []) {
      // Longer than the stall timeout; no data arrives because of backpressure.
      if (pieces.push(piece) === 1)
        await new Promise((resolve) => setTimeout(resolve, 1.5 * stallMs));
    }
    assert.ok(Buffer.concat(pieces).equals(sample));
  });

  it('retries when the bucket is busy', async () => {
    const { proxy, files } = await newBucket();
    let refused = 0;
    proxy.fault = (_, answer) => refused++ < 1 && refuse(answer, 503, 'SlowDown');
    await keep(files, randomBytes(10));
    assert.equal(refused, 2);
  });

  it('has a timeout for the response', async () => {
    const { proxy, files } = await newBucket({}, { ...LONG_TIMEOUTS, callMs: 500 });
    proxy.fault = () => true;
    await assert.rejects(files.has(sha256Of(randomBytes(1))), isUnavailable);
  });

  it('is unavailable if it was deleted, not empty', async () => {
    const { location, files } = await newBucket();
    await s3.client.deleteBucket({ Bucket: location.bucket });
    const sha256 = sha256Of(randomBytes(1));
    await assert.rejects(files.has(sha256), isUnavailable);
    await assert.rejects(files.read(sha256), isUnavailable);
    await assert.rejects(files.remove(sha256), isUnavailable);
    await assert.rejects(keep(files, randomBytes(10)), isUnavailable);
  });

  it('is unavailable if it forbids reads', async () => {
    const { proxy, files } = await newBucket();
    proxy.fault = ({ method }, answer) => method === 'HEAD' && refuse(answer, 403, 'AccessDenied');
    await assert.rejects(files.has(sha256Of(randomBytes(1))), isUnavailable);
  });

  it('logs the error, without key, secret or signature', async () => {
    const { proxy, location, files } = await newBucket();
    proxy.fault = (_, answer) => refuse(answer, 403, 'SignatureDoesNotMatch');
    const error = await files.remove(sha256Of(randomBytes(1))).catch((cause: Error) => cause);
    assert.ok(error instanceof Error && error.cause instanceof Error);
    assert.equal(error.cause.message, 'SignatureDoesNotMatch: because of SignatureDoesNotMatch');
    const logged = JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause));
    assert.ok(!logged.includes(location.credentials?.secretAccessKey ?? ''));
    assert.doesNotMatch(logged, /Credential=|Signature=/);
  });
});

describe('the probe of a bucket', () => {
  it('leaves no object in the bucket', async () => {
    const { location, proxy, open } = await newBucket();
    await open(true);
    assert.deepEqual(await keysOf(location), []);
    assert.ok(proxy.calls.length >= 4);
  });

  const refusals: readonly [code: string, status: number, message: RegExp][] = [
    ['NoSuchBucket', 404, /^RAPSHEET_SAMPLES_URL names the bucket \S+, which does not exist at/],
    ['InvalidAccessKeyId', 403, /^RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY are/],
    ['SignatureDoesNotMatch', 403, /^RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY/],
    ['AccessDenied', 403, /^RAPSHEET_SAMPLES_URL names .*may not list, put, get and delete/],
    ['PermanentRedirect', 301, /^RAPSHEET_S3_REGION is us-east-1, which is not the region/],
    ['NotImplemented', 501, /^RAPSHEET_SAMPLES_URL names .*cannot be used/],
  ];
  for (const [code, status, expected] of refusals) {
    it(`names the wrong setting in one line after ${code}`, async () => {
      const { proxy, open } = await newBucket();
      proxy.fault = (_, answer) => refuse(answer, status, code);
      await assert.rejects(open(true), ({ message }: Error) => {
        assert.match(message, expected);
        assert.doesNotMatch(message, /\n/);
        return true;
      });
    });
  }

  it('detects that a missing object gives 403', async () => {
    const { proxy, open } = await newBucket();
    proxy.fault = ({ method }, answer) => method === 'HEAD' && refuse(answer, 403, 'AccessDenied');
    await assert.rejects(open(true), /may not list/);
  });

  it('detects that the bucket returns other bytes', async () => {
    const { proxy, open } = await newBucket();
    proxy.fault = ({ method }, answer) => {
      if (method !== 'GET') return false;
      answer.end('something else');
      return true;
    };
    await assert.rejects(
      open(true),
      /^Error: RAPSHEET_SAMPLES_URL .* other bytes than were stored/,
    );
  });

  it('creates no folder if the bucket cannot be used', async () => {
    const location = await s3.bucket();
    const incoming = join(root, 'never');
    const nowhere = { ...location, endpoint: 'http://127.0.0.1:1' };
    await assert.rejects(
      openSampleBucket(nowhere, { incoming, probe: true, timeouts: LONG_TIMEOUTS }),
      /^Error: RAPSHEET_S3_ENDPOINT: http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED/,
    );
    assert.equal(existsSync(incoming), false);
  });

  it('is refused with a wrong secret', async (t) => {
    if (!s3.isStrict) return t.skip('s3rver does not check signatures');
    const { location } = await newBucket();
    const credentials = {
      accessKeyId: location.credentials?.accessKeyId ?? '',
      secretAccessKey: 'x',
    };
    const options = { incoming: join(root, 'never'), probe: true, timeouts: LONG_TIMEOUTS };
    await assert.rejects(
      openSampleBucket({ ...location, credentials }, options),
      /RAPSHEET_S3_SECRET_ACCESS_KEY/,
    );
  });

  it('is refused with an unknown key', async () => {
    const { location } = await newBucket();
    const credentials = { accessKeyId: 'NOBODY', secretAccessKey: 'x' };
    const options = { incoming: join(root, 'never'), probe: true, timeouts: LONG_TIMEOUTS };
    await assert.rejects(
      openSampleBucket({ ...location, credentials }, options),
      /RAPSHEET_S3_ACCESS_KEY_ID/,
    );
  });
});

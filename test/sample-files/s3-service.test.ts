import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { RapsheetError } from '../../src/client/error.ts';
import type { BucketLocation } from '../../src/config/locations.ts';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { sha256Of } from './contract.ts';
import { FaultyProxy, refuse } from './faulty-proxy.ts';
import { startS3, type TestS3 } from './s3-server.ts';

const PROGRAM = fixture('analysis/pe/hello64');

const blobOf = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]);

function settingsFor(location: BucketLocation): Record<string, string> {
  return {
    RAPSHEET_SAMPLES_URL: `s3://${location.bucket}/${location.prefix}`,
    RAPSHEET_S3_ENDPOINT: location.endpoint ?? '',
    RAPSHEET_S3_ACCESS_KEY_ID: location.credentials?.accessKeyId ?? '',
    RAPSHEET_S3_SECRET_ACCESS_KEY: location.credentials?.secretAccessKey ?? '',
  };
}

function hangUp(_call: unknown, answer: ServerResponse): true {
  answer.destroy();
  return true;
}

let s3: TestS3;
before(async () => {
  s3 = await startS3();
});
after(() => s3.close());

describe('the service with its samples in a bucket', () => {
  const installation = new TestInstallation();
  let proxy: FaultyProxy;
  let bucket: BucketLocation;
  let url: string;
  let token: string;
  let client: RapsheetClient;

  before(async () => {
    const real = await s3.bucket();
    proxy = new FaultyProxy(real.endpoint ?? '');
    bucket = { ...real, endpoint: await proxy.open() };
    const settings = settingsFor(bucket);
    ({ url } = await installation.server({ ...settings, RAPSHEET_ANALYSIS_WORKERS: '1' }));
    const args = ['account', 'add', 'alice', '--researcher', '--json'];
    ({ token } = JSON.parse((await installation.run(args, { settings })).stdout));
    client = new RapsheetClient({ url, token, retries: 0 });
  });
  after(async () => {
    await installation.close();
    proxy.close();
  });

  it('analyses an upload and serves it', async () => {
    const { status, sha256Hash } = await uploadAndWait(client, blobOf(PROGRAM), 'hello.exe');
    assert.equal(status, 'done');
    assert.equal(sha256Hash, sha256Of(PROGRAM));
    const zip = Buffer.concat(
      await Array.fromAsync((await client.downloadSample(sha256Hash)).body),
    );
    const again = await uploadAndWait(client, blobOf(zip), 'again.zip');
    // The engine knows the password of the zip, and finds the uploaded file in it.
    const { details } = await client.details(again.sha256Hash);
    assert.equal(details.members[0]?.sha256, sha256Hash);
  });

  it('stores no sample on its disk', () => {
    assert.equal(existsSync(join(installation.dataDir, 'samples')), false);
    assert.deepEqual(readdirSync(join(installation.dataDir, 'incoming')), []);
  });

  afterEach(() => {
    proxy.fault = () => false;
  });

  it('answers 503 while the bucket is down, stores nothing, and works afterwards', async () => {
    proxy.fault = hangUp;
    const isOutage = (error: unknown) =>
      error instanceof RapsheetError && error.status === 503 && error.code === 'unavailable';
    const other = blobOf(Buffer.from('another file'));
    await assert.rejects(client.upload(other, { fileName: 'b' }), isOutage);
    await assert.rejects(client.downloadSample(sha256Of(PROGRAM)), isOutage);
    assert.deepEqual(readdirSync(join(installation.dataDir, 'incoming')), []);
    // Requests that need no bucket succeed.
    assert.equal((await client.lookUp(sha256Of(PROGRAM))).report.fileName, 'hello.exe');

    proxy.fault = () => false;
    const { status } = await uploadAndWait(client, other, 'b');
    assert.equal(status, 'done');
  });

  it('sends Retry-After while the bucket is down', async () => {
    proxy.fault = hangUp;
    const answer = await fetch(`${url}/private/sample/${sha256Of(PROGRAM)}/file`, {
      headers: { authorization: token },
    });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '5');
    await answer.body?.cancel();
  });

  it('removes a purged sample from the bucket', async () => {
    const settings = settingsFor(bucket);
    const args = ['purge', 'sample', sha256Of(PROGRAM), '--reason', 'asked'];
    assert.equal((await installation.run(args, { settings })).code, 0);
    const { Contents = [] } = await s3.client.listObjectsV2({ Bucket: bucket.bucket });
    assert.ok(Contents.length > 0);
    assert.ok(Contents.every(({ Key = '' }) => !Key.endsWith(sha256Of(PROGRAM))));
  });
});

describe('the service whose bucket is away when it starts', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  it('starts, refuses uploads, and accepts them when the bucket answers', async () => {
    const real = await s3.bucket();
    const proxy = new FaultyProxy(real.endpoint ?? '');
    const settings = settingsFor({ ...real, endpoint: await proxy.open() });
    proxy.fault = (_call, answer) => refuse(answer, 503, 'SlowDown');
    try {
      const { url } = await installation.server({ ...settings, RAPSHEET_ANALYSIS_WORKERS: '1' });
      const args = ['account', 'add', 'alice', '--researcher', '--json'];
      const { token } = JSON.parse((await installation.run(args, { settings })).stdout);
      const client = new RapsheetClient({ url, token, retries: 0 });
      const isOutage = ({ status }: RapsheetError) => status === 503;
      await assert.rejects(client.upload(blobOf(PROGRAM), { fileName: 'a' }), isOutage);
      proxy.fault = () => false;
      const { status } = await uploadAndWait(client, blobOf(PROGRAM), 'a');
      assert.equal(status, 'done');
    } finally {
      proxy.close();
    }
  });

  it('names the endpoint that cannot be reached', async () => {
    const settings = settingsFor(await s3.bucket());
    const child = installation.start(['serve'], {
      ...settings,
      ...{ RAPSHEET_S3_ENDPOINT: 'http://127.0.0.1:1', RAPSHEET_PORT: '0' },
      ...{ RAPSHEET_METRICS_PORT: '0', RAPSHEET_ANALYSIS_WORKERS: '0' },
    });
    child.stdout.resume();
    await waitForOutput(
      child,
      /RAPSHEET_S3_ENDPOINT: http:\/\/127\.0\.0\.1:1 cannot be reached.*listens on/s,
    );
  });
});

describe('the service with a bucket that cannot be used', () => {
  for (const [what, wrong, message] of [
    [
      'that does not exist',
      { RAPSHEET_SAMPLES_URL: 's3://no-such-bucket/x' },
      /^rapsheet serve: RAPSHEET_SAMPLES_URL names the bucket no-such-bucket, which does not exist at http\S+\n$/,
    ],
    [
      'and an unknown key',
      { RAPSHEET_S3_ACCESS_KEY_ID: 'NOBODY' },
      /^rapsheet serve: RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY are not accepted by .*\n$/,
    ],
  ] as const) {
    it(`${what} exits with one line and code 1, and creates nothing`, async () => {
      const installation = new TestInstallation();
      const settings = { ...settingsFor(await s3.bucket()), ...wrong };
      const { code, stderr, stdout } = await installation.runAlone(['serve'], { settings });
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.equal(stdout, '');
      assert.equal(existsSync(installation.dataDir), false);
      await installation.close();
    });
  }

  it('does not affect commands that need no sample', async () => {
    const installation = new TestInstallation();
    const settings = {
      ...settingsFor(await s3.bucket()),
      RAPSHEET_S3_ENDPOINT: 'http://127.0.0.1:1',
    };
    const { code } = await installation.run(['account', 'add', 'alice'], { settings });
    assert.equal(code, 0);
    await installation.close();
  });
});

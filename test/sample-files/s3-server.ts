import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import type { BucketLocation } from '../../src/config/locations.ts';

/** What s3rver knows its one account by. */
const S3RVER_KEY = 'S3RVER';

/** An S3 server for tests: one in this process, or that of `TEST_S3_ENDPOINT`. */
export interface TestS3 {
  /** A new bucket. */
  bucket(): Promise<BucketLocation>;
  /** Beside what is tested. */
  readonly client: S3;
  /**
   * Whether it checks signatures and appears to do what S3 does; the one in this process is
   * lenient.
   */
  readonly isStern: boolean;
  close(): Promise<void>;
}

export async function startS3(): Promise<TestS3> {
  const { TEST_S3_ENDPOINT: endpoint } = process.env;
  return endpoint === undefined ? startS3rver() : foreignS3(endpoint);
}

function foreignS3(endpoint: string): TestS3 {
  const credentials = {
    accessKeyId: process.env['TEST_S3_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['TEST_S3_SECRET_ACCESS_KEY'] ?? '',
  };
  const client = clientOf(endpoint, credentials);
  return {
    client,
    isStern: true,
    bucket: () => newBucket(client, endpoint, credentials),
    close: async () => client.destroy(),
  };
}

async function startS3rver(): Promise<TestS3> {
  const directory = mkdtempSync(join(tmpdir(), 'rapsheet-s3-'));
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: S3RVER_KEY, secretAccessKey: S3RVER_KEY };
  const client = clientOf(endpoint, credentials);
  return {
    client,
    isStern: false,
    bucket: () => newBucket(client, endpoint, credentials),
    close: async () => {
      client.destroy();
      server.httpServer.closeAllConnections();
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

type Credentials = NonNullable<BucketLocation['credentials']>;

function clientOf(endpoint: string, credentials: Credentials): S3 {
  return new S3({
    endpoint,
    credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

async function newBucket(
  client: S3,
  endpoint: string,
  credentials: Credentials,
): Promise<BucketLocation> {
  const bucket = `samples-${randomBytes(6).toString('hex')}`;
  await client.createBucket({ Bucket: bucket });
  return { kind: 's3', bucket, prefix: 'a/b', endpoint, region: 'us-east-1', credentials };
}

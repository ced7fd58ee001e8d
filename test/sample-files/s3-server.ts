import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3 } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import type { BucketLocation } from '../../src/config/locations.ts';

/** Key id and secret of the only account of s3rver. */
const S3RVER_KEY = 'S3RVER';

/** An S3 server for tests: one in this process, or that of `TEST_S3_ENDPOINT`. */
export interface TestS3 {
  /** Creates a bucket. */
  bucket(): Promise<BucketLocation>;
  /** A client for the setup and checks of tests. */
  readonly client: S3;
  /** Whether it behaves like S3, including signature checks; s3rver does not. */
  readonly isStrict: boolean;
  close(): Promise<void>;
}

export async function startS3(): Promise<TestS3> {
  const { TEST_S3_ENDPOINT: endpoint } = process.env;
  return endpoint === undefined ? startS3rver() : externalS3(endpoint);
}

function externalS3(endpoint: string): TestS3 {
  const credentials = {
    accessKeyId: process.env['TEST_S3_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['TEST_S3_SECRET_ACCESS_KEY'] ?? '',
  };
  const client = clientOf(endpoint, credentials);
  return {
    client,
    isStrict: true,
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
    isStrict: false,
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

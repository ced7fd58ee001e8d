import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RapsheetClient } from '../../src/client/client.ts';
import { RapsheetError } from '../../src/client/error.ts';
import type { TestInstallation, TestServer } from '../installation.ts';

export interface UploadCrashPlan {
  readonly uploads: number;
  readonly kills: number;
}

export interface UploadCrashResult {
  readonly acknowledged: number;
  readonly cutOff: number;
  /** Each entry describes a broken promise. */
  readonly broken: readonly string[];
}

/** Much longer than the lease of a worker that was killed. */
const SETTLED_MS = 240_000;
const CONCURRENCY = 8;

/**
 * Uploads samples while the server and its workers are killed with SIGKILL and restarted. Every
 * acknowledged sample must reach the status `done` and have its file.
 */
export async function crashDuringUploads(
  installation: TestInstallation,
  token: string,
  { uploads, kills }: UploadCrashPlan,
): Promise<UploadCrashResult> {
  const samples = Array.from({ length: uploads }, (_, index) =>
    `sample ${index} `.repeat(1 + index * 40),
  );
  const acknowledged = new Set<string>();
  let cutOff = 0;
  let server = await start(installation);
  const size = Math.ceil(uploads / (kills + 1));
  for (let part = 0; part <= kills; part += 1) {
    const client = new RapsheetClient({ url: server.url, token, retries: 0 });
    const sending = sendAll(client, samples.slice(part * size, (part + 1) * size), acknowledged);
    if (part < kills) {
      while (acknowledged.size < part * size + 3) await pause(5);
      await server.end('SIGKILL');
      cutOff += await sending;
      server = await start(installation);
    } else cutOff += await sending;
  }
  const client = new RapsheetClient({ url: server.url, token, retries: 0 });
  const broken = [...(await unsettled(client, acknowledged)), ...lost(installation, acknowledged)];
  await server.end('SIGTERM');
  return { acknowledged: acknowledged.size, cutOff, broken };
}

function start(installation: TestInstallation): Promise<TestServer> {
  return installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
}

/** Returns the number of uploads without a response. */
async function sendAll(
  client: RapsheetClient,
  samples: readonly string[],
  acknowledged: Set<string>,
): Promise<number> {
  let cutOff = 0;
  const pending = [...samples];
  const send = async () => {
    for (let text = pending.shift(); text !== undefined; text = pending.shift()) {
      try {
        const { sha256Hash } = await client.upload(new Blob([text]), { fileName: 'a' });
        acknowledged.add(sha256Hash);
      } catch (cause) {
        if (!(cause instanceof RapsheetError) || cause.status !== undefined) throw cause;
        cutOff += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  return cutOff;
}

async function unsettled(client: RapsheetClient, hashes: ReadonlySet<string>): Promise<string[]> {
  const deadline = performance.now() + SETTLED_MS;
  const broken: string[] = [];
  for (const hash of hashes) {
    let { status } = await client.sampleStatus(hash);
    while (status !== 'done' && status !== 'failed' && performance.now() < deadline) {
      await pause(100);
      ({ status } = await client.sampleStatus(hash));
    }
    if (status !== 'done') broken.push(`${hash} was acknowledged, but its status is ${status}`);
    else if ((await client.lookUp(hash)).report.sha256Hash !== hash)
      broken.push(`the lookup of ${hash} returned another file`);
  }
  return broken;
}

function lost({ dataDir }: TestInstallation, hashes: ReadonlySet<string>): string[] {
  const pathOf = (hash: string) =>
    join(dataDir, 'samples', hash.slice(0, 2), hash.slice(2, 4), hash);
  return [...hashes]
    .filter((hash) => !existsSync(pathOf(hash)))
    .map((hash) => `${hash} has no file`);
}

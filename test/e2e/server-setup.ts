import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RapsheetClient } from '../../src/client/client.ts';
import { TestInstallation } from '../installation.ts';

/** Without retries, so that a test sees every answer; and one attempt is one call. */
function clientOf(url: string, token: string): RapsheetClient {
  return new RapsheetClient({ url, token, retries: 0, timeoutMs: 120_000 });
}

/**
 * Uploads a file and waits for what becomes of it: on a slow machine longer than a server waits at
 * most.
 */
export async function uploadAndWait(client: RapsheetClient, file: Blob, fileName: string) {
  for (;;) {
    const answer = await client.upload(file, { fileName, wait: 30 });
    if (answer.status !== 'queued') return answer;
  }
}

/** A installation with a running server and its first account. */
export async function startServer() {
  const installation = new TestInstallation();
  // Callers are told apart by address, so that the bad tokens of one test do not throttle another.
  const server = await installation.server({ RAPSHEET_TRUST_PROXY: '127.0.0.1' });
  const adminToken = readFileSync(join(installation.dataDir, 'admin-token'), 'utf8').trim();
  return { installation, server, admin: clientOf(server.url, adminToken), adminToken };
}

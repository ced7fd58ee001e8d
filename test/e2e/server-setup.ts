import { RapsheetClient } from '../../src/client/client.ts';
import { TestInstallation } from '../installation.ts';

/** Without retries: a test sees every response, and one call is one request. */
export function clientOf(url: string, token: string): RapsheetClient {
  return new RapsheetClient({ url, token, retries: 0, timeoutMs: 120_000 });
}

/**
 * Uploads a file and waits until its analysis ends. Repeats the upload, because an analysis on a
 * slow machine can take longer than the maximum of `wait`.
 */
export async function uploadAndWait(client: RapsheetClient, file: Blob, fileName: string) {
  for (;;) {
    const answer = await client.upload(file, { fileName, wait: 30 });
    if (answer.status !== 'queued') return answer;
  }
}

/** Starts a server on a new installation and returns a client of its first account. */
export async function startServer() {
  const installation = new TestInstallation();
  // Lets tests choose their client address, so that bad tokens of one do not throttle another.
  const server = await installation.server({ RAPSHEET_TRUST_PROXY: '127.0.0.1' });
  const { adminToken } = installation;
  return { installation, server, admin: clientOf(server.url, adminToken), adminToken };
}

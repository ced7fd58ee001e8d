import { Agent, request } from 'node:http';
import { BENCH_TOKEN } from './fill.ts';
import type { RunningServer } from './processes.ts';
import { median } from './verdicts.ts';

/** One connection to each server, with one request at a time. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

interface Call {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

function call({ port }: RunningServer, { method, path, type, body }: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: BENCH_TOKEN, ...(type && { 'content-type': type }) };
    const to = { agent, host: '127.0.0.1', port, method, path, headers };
    const sent = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ([200, 201].includes(response.statusCode ?? 0)) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function get(server: RunningServer, path: string): Promise<string> {
  return call(server, { method: 'GET', path });
}

/** A single create. */
export function create(server: RunningServer, body: string): Promise<string> {
  return call(server, { method: 'POST', path: '/feed/ply/api', type: 'application/json', body });
}

/** A bulk create, one report per line. */
export function createMany(server: RunningServer, body: string): Promise<string> {
  const type = 'application/x-ndjson';
  return call(server, { method: 'POST', path: '/feed/ply/reports', type, body });
}

/** A GET request to one of the compared servers. */
export interface ServerCall {
  readonly server: RunningServer;
  readonly path: string;
}

/**
 * Returns the median duration of a call on each of two servers, in milliseconds. Calls alternate
 * between the servers, so that a change in the speed of the machine affects both.
 */
export async function alternate(
  first: ServerCall,
  second: ServerCall,
  rounds: number,
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  const warmUp = Math.ceil(rounds / 5);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, { server, path }] of [first, second].entries()) {
      const startedAt = performance.now();
      await get(server, path);
      if (round >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return [median(times[0]), median(times[1])];
}

import { Agent, request } from 'node:http';
import { BENCH_TOKEN } from './fill.ts';
import type { RunningServer } from './processes.ts';
import { median } from './verdicts.ts';

/** One connection to each server; whoever waits for an answer does nothing else. */
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
    const asked = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ([200, 201].includes(response.statusCode ?? 0)) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

export function get(server: RunningServer, path: string): Promise<string> {
  return call(server, { method: 'GET', path });
}

/** A single create. */
export function create(server: RunningServer, body: string): Promise<string> {
  return call(server, { method: 'POST', path: '/feed/ply/api', type: 'application/json', body });
}

/** Many, a line each. */
export function createMany(server: RunningServer, body: string): Promise<string> {
  const type = 'application/x-ndjson';
  return call(server, { method: 'POST', path: '/feed/ply/reports', type, body });
}

/** A call to one of the servers. */
export interface Asked {
  readonly server: RunningServer;
  readonly path: string;
}

/**
 * Milliseconds that a call takes on each of two servers, asked in turns so that a machine that
 * becomes slower does so for both: the median of many calls, one at a time.
 */
export async function alternate(
  first: Asked,
  second: Asked,
  turns: number,
): Promise<readonly [number, number]> {
  const times: readonly [number[], number[]] = [[], []];
  const warmUp = Math.ceil(turns / 5);
  for (let turn = -warmUp; turn < turns; turn += 1) {
    for (const [index, { server, path }] of [first, second].entries()) {
      const startedAt = performance.now();
      await get(server, path);
      if (turn >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return [median(times[0]), median(times[1])];
}

import { createServer, type Server } from 'node:http';
import type { Log } from './log.ts';

export interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * `/metrics` on a loopback listener of its own, so that it needs no token and cannot be reached from
 * outside. A taken port is a warning: the service is worth more than its numbers.
 */
export async function serveMetrics(
  source: MetricsSource,
  port: number,
  log: Log,
): Promise<Server | undefined> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    source.text().then(
      (text) => response.writeHead(200, { 'content-type': source.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return new Promise((resolve) => {
    server.once('error', (error) => {
      log.warn(
        { err: error, port },
        'metrics are off: RAPSHEET_METRICS_PORT cannot be listened on',
      );
      resolve(undefined);
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

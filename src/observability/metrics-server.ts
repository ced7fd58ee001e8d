import { createServer, type RequestListener, type Server } from 'node:http';
import type { Log } from './log.ts';

/** A registry, or what is made of several. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/**
 * `/metrics` on a loopback listener of its own, so that it needs no token and cannot be reached from
 * outside; port 0 is none. A taken port is a warning: the service is worth more than its numbers. Returns what ends it.
 */
export async function serveMetrics(
  source: MetricsSource,
  port: number,
  log: Log,
): Promise<() => Promise<void>> {
  const server = createServer(answerWith(source, log));
  const isListening = port !== 0 && (await listens(server, port, log));
  return async () => {
    if (!isListening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

function answerWith(source: MetricsSource, log: Log): RequestListener {
  return (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    source.metrics().then(
      (text) => response.writeHead(200, { 'content-type': source.contentType }).end(text),
      (err: unknown) => {
        log.error({ err }, 'the metrics could not be read');
        response.writeHead(500).end();
      },
    );
  };
}

function listens(server: Server, port: number, log: Log): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', (error) => {
      log.warn(
        { err: error, port },
        'metrics are off: RAPSHEET_METRICS_PORT cannot be listened on',
      );
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}

import { createServer, type RequestListener, type Server } from 'node:http';
import type { Log } from './log.ts';

/** A registry, or an aggregate of several. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface MetricsAddress {
  readonly metricsPort: number;
  readonly metricsHost: string;
}

/**
 * Serves `/metrics` on a separate listener, by default on loopback, so it needs no token. Port 0
 * turns it off. An address that cannot be used is only a warning, so that the server still starts.
 * Returns a function that stops it.
 */
export async function serveMetrics(
  source: MetricsSource,
  address: MetricsAddress,
  log: Log,
): Promise<() => Promise<void>> {
  const server = createServer(handleWith(source, log));
  const isListening = address.metricsPort !== 0 && (await tryToListen(server, address, log));
  return async () => {
    if (!isListening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

function handleWith(source: MetricsSource, log: Log): RequestListener {
  return (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    source.metrics().then(
      (text) => response.writeHead(200, { 'content-type': source.contentType }).end(text),
      (err: unknown) => {
        log.error({ err }, 'reading the metrics failed');
        response.writeHead(500).end();
      },
    );
  };
}

function tryToListen(
  server: Server,
  { metricsPort: port, metricsHost: host }: MetricsAddress,
  log: Log,
): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', (error) => {
      log.warn(
        { err: error, host, port },
        'metrics are off: cannot listen on RAPSHEET_METRICS_HOST and RAPSHEET_METRICS_PORT',
      );
      resolve(false);
    });
    server.listen(port, host, () => resolve(true));
  });
}

import { get } from 'node:http';
import { BENCH_TOKEN } from '../fill.ts';

/**
 * Reads an export in a process of its own, as a client on another machine would. Writes to stderr
 * when the response begins, and to stdout what it got, as JSON. Arguments: port, path.
 */
const [port = '', path = ''] = process.argv.slice(2);
const headers = { authorization: BENCH_TOKEN, 'accept-encoding': 'identity' };
const startedAt = performance.now();
get({ host: '127.0.0.1', port, path, headers }, (response) => {
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  process.stderr.write('begun');
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  // Not emitted if the connection was closed before the end of the export.
  response.on('end', () => {
    const ms = performance.now() - startedAt;
    process.stdout.write(JSON.stringify({ bytes, ms, etag: response.headers.etag }));
  });
});

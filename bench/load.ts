import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/**
 * A closed-loop HTTP load generator on plain sockets, in its own process: each connection sends
 * the next request when the response is complete. It must use far less CPU than the servers, or it
 * would measure itself. It parses only the status and the length of a response.
 *
 * Arguments: port, connections, warm-up seconds, measured seconds, a file of requests, and `once`
 * to send each request once instead of measuring for a time.
 */
const [port = 0, connections = 0, warmUpSeconds = 0, seconds = 0] = process.argv
  .slice(2, 6)
  .map(Number);
const requests = (JSON.parse(readFileSync(process.argv[6] ?? '', 'utf8')) as string[]).map((text) =>
  Buffer.from(text, 'latin1'),
);

const once = process.argv[7] === 'once';
const HEADER_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';
const latencies: number[] = [];
const statuses: Record<string, number> = {};
let next = 0;
let sent = 0;
let measuring = once;
let stopped = false;
let answered = 0;
/** Without reading the requests. */
const cpuAtStart = process.cpuUsage();

function drive(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let sentAt = 0;
    let partial: Buffer | undefined;
    const send = () => {
      if (stopped || (once && sent === requests.length)) {
        socket.destroy();
        return resolve();
      }
      sent += 1;
      sentAt = performance.now();
      // The file has hashes and ids in random order.
      next = (next + 1) % requests.length;
      write(socket, requests[next] as Buffer);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      const bytes = partial === undefined ? chunk : Buffer.concat([partial, chunk]);
      partial = undefined;
      const status = completeStatus(bytes);
      if (status === undefined) {
        partial = bytes;
        return;
      }
      answered += 1;
      if (measuring) {
        latencies.push(performance.now() - sentAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      send();
    });
  });
}

function write(socket: Socket, bytes: Buffer): void {
  socket.write(bytes);
}

/** Returns the status of a complete response, or `undefined` while bytes are missing. */
function completeStatus(bytes: Buffer): string | undefined {
  const end = bytes.indexOf(HEADER_END);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const lower = head.indexOf('ontent-length: ', 15);
  // Other servers write it in capitals.
  const at = lower === -1 ? head.indexOf('ontent-Length: ', 15) : lower;
  if (at === -1) {
    if (!/transfer-encoding: chunked/i.test(head))
      throw new Error(`a response of what size? ${head}`);
    return bytes.toString('latin1', bytes.length - LAST_CHUNK.length) === LAST_CHUNK
      ? head.slice(9, 12)
      : undefined;
  }
  return bytes.length >= end + 4 + Number.parseInt(head.slice(at + 15), 10)
    ? head.slice(9, 12)
    : undefined;
}

function printSince(startedAt: number): void {
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)];
  const { user, system } = process.cpuUsage(cpuAtStart);
  const loadMicros = (user + system) / answered;
  process.stdout.write(
    `${JSON.stringify({ rate: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), answered, loadMicros, statuses })}\n`,
  );
}

function measureForATime(): void {
  setTimeout(() => {
    measuring = true;
    const startedAt = performance.now();
    setTimeout(() => {
      measuring = false;
      stopped = true;
      printSince(startedAt);
    }, seconds * 1000);
  }, warmUpSeconds * 1000);
}

const loadedAt = performance.now();
const driven = Array.from({ length: connections }, drive);
if (!once) measureForATime();
await Promise.all(driven);
if (once) printSince(loadedAt);
process.exit(0);

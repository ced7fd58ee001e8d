import { readFileSync } from 'node:fs';
import { BlockList, isIP, type Socket } from 'node:net';
import type { MemoryNumbers } from '../../observability/memory-metrics.ts';
import type { App } from '../fastify-types.ts';
import { networkOf } from '../gate/bad-tokens.ts';

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** How long a client may take to accept a piece of a response before its connection is closed. */
  readonly writeTimeoutMs: number;
}

/** Databases, sample files, workers and the log need file descriptors as well. */
const RESERVED_DESCRIPTORS = 256;
/** Stalled connections are detected within a quarter of the timeout. */
const CHECKS_PER_TIMEOUT = 4;

/** A longer piece of a response has the timeout once for each part of this size. */
const PART_BYTES = 256 * 1024;

/** How many bytes the client had accepted, and when it last accepted a piece of a response. */
interface Progress {
  acceptedBytes: number;
  at: number;
}

/** Limits the number of connections, and closes those whose clients do not read their responses. */
export function limitConnections(
  app: App,
  { trustProxy, limits, numbers }: ConnectionOptions,
): void {
  const { server } = app;
  const proxies = proxyList(trustProxy || []);
  const byAddress = new Map<string, number>();
  const open = new Map<Socket, Progress>();
  server.maxConnections = Math.min(limits.connections, descriptorLimit() - RESERVED_DESCRIPTORS);
  server.on('drop', () => {
    numbers.refused.total += 1;
  });

  server.prependListener('connection', (socket) => {
    const address = withoutMapping(socket.remoteAddress ?? '');
    const key = networkOf(address);
    const count = (byAddress.get(key) ?? 0) + 1;
    if (count > limits.connectionsPerAddress && !isAmong(proxies, address)) {
      numbers.refused.address += 1;
      socket.resetAndDestroy();
      return;
    }
    byAddress.set(key, count);
    open.set(socket, { acceptedBytes: -1, at: 0 });
    numbers.open += 1;
    socket.once('close', () => {
      const remaining = (byAddress.get(key) ?? 1) - 1;
      if (remaining > 0) byAddress.set(key, remaining);
      else byAddress.delete(key);
      open.delete(socket);
      numbers.open -= 1;
    });
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of open) {
      if (!isStalled(socket, progress, now, limits.writeTimeoutMs)) continue;
      numbers.stalled += 1;
      socket.destroy();
    }
  }, limits.writeTimeoutMs / CHECKS_PER_TIMEOUT);
  timer.unref();
  app.addHook('onClose', (_, done) => {
    clearInterval(timer);
    done();
  });
}

interface ConnectionOptions {
  readonly trustProxy: readonly string[] | false;
  readonly limits: ConnectionLimits;
  readonly numbers: MemoryNumbers['connections'];
}

function isStalled(socket: Socket, progress: Progress, now: number, timeoutMs: number): boolean {
  const { writableLength } = socket;
  if (writableLength === 0) {
    progress.acceptedBytes = -1;
    return false;
  }
  const acceptedBytes = socket.bytesWritten - writableLength;
  if (acceptedBytes !== progress.acceptedBytes) {
    progress.acceptedBytes = acceptedBytes;
    progress.at = now;
  }
  return now - progress.at >= timeoutMs * Math.ceil(writableLength / PART_BYTES);
}

/** The network names that `trustProxy` accepts. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

function proxyList(names: readonly string[]): BlockList {
  const list = new BlockList();
  for (const name of names.flatMap((one) => NAMED[one] ?? one)) {
    const [address = '', prefix] = name.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isAmong(list: BlockList, address: string): boolean {
  return address !== '' && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A dual-stack listener reports IPv4 peers as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(\d+\.[\d.]+)$/i, '$1');
}

/**
 * The soft limit on file descriptors of this process; `Infinity` if the system does not state one.
 */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = Number(/^Max open files +(\d+)/m.exec(limits)?.[1]);
    return Number.isNaN(soft) ? Infinity : Math.max(soft, RESERVED_DESCRIPTORS * 2);
  } catch {
    return Infinity;
  }
}

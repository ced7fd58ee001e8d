import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sampleSha256 } from '../fill.ts';
import { spread } from '../requests.ts';
import {
  debianEnv,
  debianPath,
  freePort,
  installPython,
  startProgram,
  stopProgram,
  unpackDebian,
} from './install.ts';
import { numbered, type Peer, type PeerOperation, READS, rawRequest } from './peer.ts';

const PACKAGES = ['flask==3.1.3', 'gunicorn==25.1.0', 'redis==8.1.0'];
const DEBIAN = ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'liblua5.1-0'];
const LUA = ['lua-cjson', 'lua-bitop', 'libatomic1'];
const TOKEN = 'bench';

const documentOf = (number: number) =>
  JSON.stringify({
    sha256: sampleSha256(number),
    name: `sample-${number}.exe`,
    family: 'ASYNCRAT',
  });

/** Writes all documents in the protocol of Redis, as its documentation recommends. */
async function fill(port: number, count: number): Promise<void> {
  const client = spawn(debianPath('usr/bin/redis-cli'), ['-p', String(port), '--pipe'], {
    env: debianEnv,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  for (let number = 1; number <= count; number += 1) {
    const words = ['SET', sampleSha256(number), documentOf(number)];
    const command = words.map((word) => `$${word.length}\r\n${word}\r\n`).join('');
    if (!client.stdin.write(`*3\r\n${command}`)) await once(client.stdin, 'drain');
  }
  client.stdin.end();
  await once(client, 'exit');
}

const headers = { Authorization: TOKEN };
const operations: readonly PeerOperation[] = [
  {
    name: 'look a file up by its SHA-256',
    plan: READS,
    requests: (count) =>
      numbered(10_000, (number) =>
        rawRequest({
          method: 'GET',
          path: `/hash/${sampleSha256(spread(number, count))}`,
          headers,
        }),
      ),
  },
  {
    name: 'add an object',
    plan: { connections: 8, once: true },
    requests: (count) =>
      numbered(5000, (number) =>
        rawRequest({
          method: 'POST',
          path: `/hash/${sampleSha256(count + 1 + number)}`,
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: documentOf(count + 1 + number),
        }),
      ),
  },
];

export const flaskRedis: Peer = {
  name: 'Flask and Redis',
  setUp:
    'our 30 lines of Flask 3.1 and Redis 7 (append-only file, flushed every second), gunicorn with two threaded workers',
  install: async () => {
    await installPython('flask-redis', PACKAGES);
    await unpackDebian([...DEBIAN, ...LUA], 'usr/bin/redis-server');
  },
  start: async (count, folder) => {
    const bin = await installPython('flask-redis', PACKAGES);
    const [redisPort, port] = [await freePort(), await freePort()];
    const redis = await startProgram(
      {
        command: debianPath('usr/bin/redis-server'),
        args: ['--port', String(redisPort), '--dir', folder, '--appendonly', 'yes', '--save', ''],
      },
      redisPort,
    );
    await fill(redisPort, count);
    const gunicorn = await startProgram(
      {
        command: `${bin}/gunicorn`,
        args: `-k gthread -w 2 --threads 8 -b 127.0.0.1:${port} hash_server:app`.split(' '),
        env: { REDIS_PORT: String(redisPort), TOKEN },
        cwd: fileURLToPath(new URL('.', import.meta.url)),
      },
      port,
    );
    return {
      port,
      pids: [redis.pid ?? 0, gunicorn.pid ?? 0],
      operations,
      stop: async () => {
        await stopProgram(gunicorn);
        await stopProgram(redis);
      },
    };
  },
};

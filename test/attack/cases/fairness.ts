import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildZip } from '../../analysis/zip-builder.ts';
import type { AttackCase } from '../case.ts';
import type { Target } from '../target.ts';
import { open } from '../wire.ts';

const ARCHIVES = 5;
const MEMBERS = 400;
const STREAMS = 600;
const TOKENS = 400;
const WAIT_MS = 120_000;

async function upload(target: Target, token: string, content: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), 'sample.bin');
  const answer = await fetch(`${target.server.url}/private/upload`, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  });
  const { sha256Hash } = (await answer.json()) as { sha256Hash: string };
  return sha256Hash;
}

async function statusOf(target: Target, hash: string): Promise<string> {
  const answer = await target.call('reader', `/private/sample/${hash}/status`);
  return ((await answer.json()) as { status: string }).status;
}

/** An archive with many members, whose analysis is slow. */
function slowArchive(number: number): Buffer {
  return buildZip(
    Array.from({ length: MEMBERS }, (_, index) => ({
      name: `${index}.txt`,
      content: Buffer.from(`member ${index} of archive ${number}, unlike any other`),
    })),
  );
}

/** One account must not exhaust shared resources. */
export const fairness: readonly AttackCase[] = [
  {
    name: `${ARCHIVES} slow archives of one account, queued before a small file of another`,
    safe: 'serves accounts round robin: the small file waits for at most one archive',
    async run(target) {
      const admin = target.client('admin');
      const { token } = await admin.addAccount({ name: 'archivist', roles: ['researcher'] });
      const archives: string[] = [];
      for (let number = 0; number < ARCHIVES; number += 1)
        archives.push(await upload(target, token, slowArchive(number)));
      const small = await upload(
        target,
        target.tokenOf('researcher'),
        Buffer.from('a small file.'),
      );
      const deadline = performance.now() + WAIT_MS;
      while ((await statusOf(target, small)) !== 'done') {
        if (performance.now() > deadline) return ['the small file was never analysed'];
        await sleep(20);
      }
      const states = await Promise.all(archives.map((hash) => statusOf(target, hash)));
      const pending = states.filter((state) => state === 'queued').length;
      return pending >= ARCHIVES - 3
        ? []
        : [`the small file waited for the archives, which are ${states.join(', ')}`];
    },
  },
  {
    name: `${STREAMS} event streams of one account`,
    safe: 'refuses those above the limit, and serves another account',
    async run(target) {
      const sockets: Socket[] = [];
      let answered = 0;
      let refused = 0;
      for (let index = 0; index < STREAMS; index += 1) {
        const socket = await open(target.port);
        socket.once('data', (part: Buffer) => {
          answered += 1;
          if (part.toString('latin1').startsWith('HTTP/1.1 429')) refused += 1;
        });
        socket.write(
          `GET /feed/ply/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${target.tokenOf('researcher')}\r\n\r\n`,
        );
        sockets.push(socket);
      }
      const deadline = performance.now() + WAIT_MS;
      while (answered < STREAMS && performance.now() < deadline) await sleep(20);
      const other = await target.call('owner', '/feed/ply/stream', {
        signal: AbortSignal.timeout(WAIT_MS),
      });
      await other.body?.cancel();
      for (const socket of sockets) socket.destroy();
      return [
        ...(answered === STREAMS ? [] : [`${STREAMS - answered} streams were not answered`]),
        ...(refused > 0 ? [] : ['no stream was refused']),
        ...(other.status === 200 ? [] : [`another account got ${other.status}`]),
      ];
    },
  },
  {
    name: `${TOKENS} tokens issued by one account`,
    safe: 'refuses those above the limit',
    async run(target) {
      const admin = target.client('admin');
      const { token } = await admin.addAccount({ name: 'issuer' });
      const statuses = new Set<number>();
      for (let index = 0; index < TOKENS; index += 1) {
        const answer = await fetch(`${target.server.url}/api/tokens`, {
          method: 'POST',
          headers: { authorization: token, 'content-type': 'application/json' },
          body: '{}',
        });
        await answer.text();
        statuses.add(answer.status);
      }
      return statuses.has(409) || statuses.has(429) ? [] : [`answered ${[...statuses].join(', ')}`];
    },
  },
];

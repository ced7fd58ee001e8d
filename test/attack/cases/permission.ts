import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackCase } from '../case.ts';
import { sha256Of } from '../fill.ts';
import type { Target } from '../target.ts';
import { open } from '../wire.ts';

/** The server checks permissions again at least every second. */
const RECHECK_MS = 2500;
/** Far longer, for busy machines. */
const WAIT_MS = 15_000;
const HOUR_MS = 3_600_000;

interface Researcher {
  readonly id: string;
  readonly token: string;
}

async function addResearcher(target: Target, name: string): Promise<Researcher> {
  const roles = ['researcher'] as const;
  const { account, token } = await target.client('admin').addAccount({ name, roles: [...roles] });
  return { id: account.id, token };
}

async function disable(target: Target, { id }: Researcher): Promise<void> {
  await target.client('admin').changeAccount(id, { disabled: true });
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function lineOf(index: number): string {
  const c2Address = `192.0.2.${index % 256}:443`;
  const tags = ['after-disable'];
  return chunk(`${JSON.stringify({ c2Address, file256Hash: sha256Of(String(index)), tags })}\n`);
}

function begin(socket: Socket, path: string, token: string, type: string): void {
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
}

async function reportsTagged(target: Target, tag: string): Promise<number> {
  const answer = await target.call('reader', `/feed/ply/reports?tag=${tag}&limit=1000`);
  return ((await answer.json()) as { reports: unknown[] }).reports.length;
}

/** Requests must end soon after their permission is revoked. */
export const permission: readonly AttackCase[] = [
  {
    name: 'a bulk create that continues after its account is disabled',
    safe: 'stops writing within two seconds',
    async run(target) {
      const researcher = await addResearcher(target, 'bulk then disabled');
      const socket = await open(target.port);
      begin(socket, '/feed/ply/reports', researcher.token, 'application/x-ndjson');
      socket.write(lineOf(0));
      await Promise.race([once(socket, 'data'), sleep(5000)]);
      await disable(target, researcher);
      await sleep(RECHECK_MS);
      const before = await reportsTagged(target, 'after-disable');
      for (let index = 1; index <= 20; index += 1) {
        socket.write(lineOf(index));
        await sleep(50);
      }
      socket.end(chunk(''));
      await sleep(500);
      socket.destroy();
      const after = await reportsTagged(target, 'after-disable');
      return after === before
        ? []
        : [`${after - before} reports were written after the account was disabled`];
    },
  },
  {
    name: 'an upload that ends after its account is disabled',
    safe: 'does not accept it',
    async run(target) {
      const researcher = await addResearcher(target, 'upload then disabled');
      const socket = await open(target.port);
      begin(socket, '/private/upload', researcher.token, 'multipart/form-data; boundary=b');
      const content = `uploaded by nobody ${researcher.id}`;
      socket.write(
        chunk(
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nuploaded ',
        ),
      );
      await sleep(200);
      await disable(target, researcher);
      await sleep(RECHECK_MS);
      socket.end(`${chunk(`${content.slice(9)}\r\n--b--\r\n`)}${chunk('')}`);
      await sleep(500);
      socket.destroy();
      const answer = await target.call('reader', `/private/sample/${sha256Of(content)}/status`);
      const { status } = (await answer.json()) as { status: string };
      return status === 'unknown' ? [] : [`the sample is ${status}`];
    },
  },
  {
    name: 'an event stream whose account is disabled',
    safe: 'closes it soon',
    async run(target) {
      const researcher = await addResearcher(target, 'stream then disabled');
      const socket = await open(target.port);
      const opened = once(socket, 'data').catch(() => undefined);
      const closed = new Promise<boolean>((resolve) => {
        for (const event of ['end', 'close']) socket.once(event, () => resolve(true));
      });
      socket.resume();
      socket.write(
        `GET /feed/ply/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${researcher.token}\r\n\r\n`,
      );
      await Promise.race([opened, sleep(WAIT_MS)]);
      await disable(target, researcher);
      const isClosed = await Promise.race([closed, sleep(WAIT_MS, false)]);
      socket.destroy();
      return isClosed ? [] : ['the stream is still open'];
    },
  },
  {
    name: 'a token of one hour that issues a token of one year',
    safe: 'refuses, or limits the new token to one hour',
    async run(target) {
      const researcher = await addResearcher(target, 'token of an hour');
      const inAnHour = new Date(Date.now() + HOUR_MS).toISOString();
      const { token } = await target
        .client('admin')
        .issueAccountToken(researcher.id, { expiresAt: inAnHour });
      const inAYear = new Date(Date.now() + 8760 * HOUR_MS).toISOString();
      const unsafe: string[] = [];
      for (const body of [{ expiresAt: inAYear }, {}]) {
        const answer = await fetch(`${target.server.url}/api/tokens`, {
          method: 'POST',
          headers: { authorization: token, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const text = await answer.text();
        const expiry = /"expiresAt":"([^"]+)"/.exec(text)?.[1];
        const isBounded = expiry !== undefined && Date.parse(expiry) <= Date.parse(inAnHour);
        if (answer.status < 400 && !isBounded)
          unsafe.push(
            `${JSON.stringify(body)} issued a token with the expiry ${expiry ?? 'never'}`,
          );
      }
      return unsafe;
    },
  },
];

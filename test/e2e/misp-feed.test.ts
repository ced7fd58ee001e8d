import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { startServer } from './server-setup.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, '../exports/validators/misp-feed.py');
const ROUNDS = 12;
const PER_ROUND = 25;

function whyNoPackage(): string | false {
  const { status } = spawnSync(PYTHON, ['-c', 'import pymisp']);
  return status === 0 ? false : 'the Python package pymisp is not installed';
}

interface Walked {
  readonly walks: number;
  readonly events: number;
  readonly addresses: readonly string[];
  /** Those that a file refers to. */
  readonly paired: readonly string[];
  readonly deleted: readonly string[];
  readonly detectedAmongDeleted: number;
  readonly hashesAgree: boolean;
}

/** Reads the feed until it has seen the last address. */
async function walk(url: string, token: string, last: string): Promise<Walked> {
  const child = spawn(PYTHON, [SCRIPT, url, token, last], { timeout: 120_000 });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(errors, '');
  return JSON.parse(output);
}

describe('a reader of the MISP feed', { skip: whyNoPackage() }, async () => {
  const { installation, server, admin } = await startServer();
  after(async () => {
    await server.end('SIGTERM');
    await installation.close();
  });

  it('ends with the feed, although others create and delete meanwhile', async () => {
    await admin.addService({ slug: 'ply' });
    const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
    const alice = new RapsheetClient({ url: server.url, token });
    const left = new Map<string, string>();
    const gone: string[] = [];
    const write = async (round: number) => {
      for (let made = 0; made < PER_ROUND; made += 1) {
        const host = `c${round}-${made}.evil.example`;
        const report = { c2Address: `${host}:443`, file256Hash: 'ab'.repeat(32), tags: ['rat'] };
        const { id } = await alice.createReport('ply', report);
        left.set(id, `${host}|443`);
      }
      for (const [id, address] of [...left].filter((_, index) => index % 7 === 0).slice(0, 4)) {
        await alice.deleteReport('ply', id);
        left.delete(id);
        gone.push(address);
      }
    };
    await write(0);
    const last = `c${ROUNDS - 1}-last.evil.example`;
    const walking = walk(`${server.url}/misp/ply/`, token, `${last}|443`);
    for (let round = 1; round < ROUNDS; round += 1) await write(round);
    const { id } = await alice.createReport('ply', {
      c2Address: `${last}:443`,
      file256Hash: 'ab'.repeat(32),
    });
    left.set(id, `${last}|443`);
    const walked = await walking;
    assert.ok(walked.walks > 1);
    assert.deepEqual(walked.addresses, [...left.values()].sort());
    assert.deepEqual(walked.paired, walked.addresses);
    assert.deepEqual(walked.deleted, gone.sort());
    assert.equal(walked.detectedAmongDeleted, 0);
    assert.ok(walked.hashesAgree);
  });
});

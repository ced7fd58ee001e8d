import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { clientOf, startServer } from './server-setup.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, 'taxii-client.py');
const REPORTS = 300;

function whyNoPackages(): string | false {
  const { status } = spawnSync(PYTHON, ['-c', 'import stix2, taxii2client.v21']);
  return status === 0 ? false : 'the Python packages taxii2-client and stix2 are not installed';
}

interface Indicator {
  readonly type: string;
  readonly revoked?: boolean;
  readonly external_references: readonly { readonly external_id?: string }[];
}

describe('taxii2-client', { skip: whyNoPackages() }, () => {
  let setup: Awaited<ReturnType<typeof startServer>>;
  before(async () => {
    setup = await startServer();
  });
  after(() => setup.installation.close());

  it('reads the whole feed while others write and delete', { timeout: 240_000 }, async () => {
    const { admin, server } = setup;
    await admin.addService({ slug: 'ply' });
    const { token } = await admin.addAccount({ name: 'writer', roles: ['researcher'] });
    const writer = clientOf(server.url, token);
    const live = new Set<string>();
    const deleted = new Set<string>();
    const add = async (number: number) => {
      const file256Hash = number.toString(16).padStart(64, '0');
      const c2Address = `c${number % 50}.evil.example:${1000 + number}`;
      live.add((await writer.createReport('ply', { c2Address, file256Hash })).id);
    };
    const remove = async (id: string) => {
      await writer.deleteReport('ply', id);
      live.delete(id);
      deleted.add(id);
    };
    for (let number = 0; number < REPORTS; number += 1) await add(number);

    const client = spawn(PYTHON, [SCRIPT, server.url, token, 'ply']);
    const output = text(client.stdout);
    const errors = text(client.stderr);
    let isWalking = true;
    client.stderr.once('data', () => {
      isWalking = false;
    });
    client.once('exit', () => {
      isWalking = false;
    });
    for (let number = REPORTS; isWalking && number < 4 * REPORTS; number += 1) {
      await add(number);
      const [oldest] = live;
      if (number % 2 === 0 && oldest !== undefined) await remove(oldest);
    }
    client.stdin.end('\n');
    const [code] = await once(client, 'exit');
    assert.equal(code, 0, await errors);

    const found = JSON.parse(await output) as readonly Indicator[];
    const ids = (isRevoked: boolean) =>
      found
        .filter(({ type, revoked = false }) => type === 'indicator' && revoked === isRevoked)
        .map((indicator) => indicator.external_references[0]?.external_id ?? '')
        .toSorted();
    const twice = (set: ReadonlySet<string>) => [...set, ...set].toSorted();
    assert.deepEqual(ids(false), twice(live));
    // A report that was deleted before its version was read is only seen as revoked.
    assert.deepEqual(ids(true), twice(deleted));
    assert.ok(deleted.size > 0, 'nothing was deleted during the walk');
  });
});

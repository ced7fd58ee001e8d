import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, truncate } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { RapsheetClient } from '../../../src/client/client.ts';
import { sha256Of } from '../../builders.ts';
import { digestOf, openRig, type Rig } from '../http-rig.ts';
import { listen } from '../wire.ts';

const lines: string[] = [];
const rig = await openRig({ log: (line) => lines.push(line) });
const port = await listen(rig);
after(() => rig.close());

const { token, name } = await rig.researcher();
const client = new RapsheetClient({ url: `http://127.0.0.1:${port}`, token, retries: 0 });
const MISS = sha256Of('a file that was never uploaded');

const ask = (hash: string, caller = token) =>
  rig.ask('GET', `/private/sample/${hash}/file`, { token: caller });

async function download(hash: string): Promise<Response> {
  return new Response((await client.downloadSample(hash)).body);
}

async function pathOf({ folder }: Rig, sha256: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const entry = entries.find((one) => one.name === sha256);
  return join(entry?.parentPath ?? '', sha256);
}

describe('downloading a sample', () => {
  it('returns a zip with the password "infected" and one member named by its SHA-256', async () => {
    const bytes = randomBytes(300_000);
    const sha256 = await rig.uploaded(bytes);
    const zip = new ZipReader(new BlobReader(await (await download(sha256)).blob()));
    const [entry, ...others] = await zip.getEntries();
    assert.ok(entry !== undefined && !entry.directory);
    assert.deepEqual(others, []);
    assert.equal(entry.filename, sha256);
    assert.equal(entry.encrypted, true);
    const inside = await entry.getData(new Uint8ArrayWriter(), { password: 'infected' });
    assert.ok(bytes.equals(inside));
  });

  it('states its type and its file name', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    const answer = await ask(sha256.toUpperCase());
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/zip');
    assert.equal(answer.headers['content-disposition'], `attachment; filename="${sha256}.zip"`);
  });

  it('works by any hash, before and after the analysis, and takes no quota', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    const hash = { hex: sha256, kinds: ['sha256'] as const };
    const { digests } = (await rig.deps.store.samples.find(hash)) ?? assert.fail();
    const before = await rig.unitsLeft(token);
    assert.equal((await ask(digests.blake3)).status, 200);
    await rig.finish(sha256);
    assert.equal((await ask(digests.sha512)).status, 200);
    assert.equal(await rig.unitsLeft(token), before);
  });

  it('is written into the audit log with the caller', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    await ask(sha256);
    const [entry] = await rig.audit();
    assert.equal(entry?.['action'], 'sample.download');
    assert.equal(entry?.['actor'], name);
    assert.equal(entry?.['subject'], sha256);
  });

  it('is 404 if the file is not stored', async () => {
    const { sha256Hash: imported } = await rig.analyse(rig.fresh('file'));
    const gone = await rig.uploaded(rig.fresh('bytes'));
    await rig.deps.files.remove(gone);
    for (const hash of [MISS, imported, gone]) {
      const answer = await ask(hash);
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_file');
    }
  });

  it('is 404 if an operator removed the file', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    await rig.ask('DELETE', `/admin/samples/${sha256}`, { token: rig.admin });
    assert.equal((await ask(sha256)).status, 404);
  });

  it('is refused for an invalid hash', async () => {
    const answer = await ask('..%2f..%2fetc%2fpasswd');
    assert.equal(answer.status, 400);
    assert.equal(answer.code, 'invalid_hash');
  });

  it('is only for researchers', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    assert.equal((await ask(sha256, (await rig.reader()).token)).code, 'role_missing');
    assert.equal((await ask(sha256, rig.admin)).code, 'role_missing');
    assert.equal((await rig.ask('GET', `/private/sample/${sha256}/file`)).status, 401);
  });

  it('is aborted if the file is damaged, so that the client sees that it is incomplete', async () => {
    const bytes = randomBytes(500_000);
    const sha256 = await rig.uploaded(bytes);
    await truncate(await pathOf(rig, sha256), 400_000);
    await assert.rejects((await download(sha256)).arrayBuffer());
    assert.match(lines.join('\n'), /a download was aborted/);
  });

  it('is closed for a client that reads nothing of it', async () => {
    const sha256 = await rig.uploaded(randomBytes(900_000));
    const connected = once(rig.app.server, 'connection');
    const caller = connect(port, '127.0.0.1');
    caller.write(
      `GET /private/sample/${sha256}/file HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`,
    );
    const [socket] = (await connected) as [Socket];
    await once(caller, 'readable');
    assert.equal(socket.timeout, 60_000);
    const closed = once(socket, 'close');
    socket.emit('timeout');
    await closed;
    caller.destroy();
  });

  it('that the client aborts does not affect the server', async () => {
    const bytes = randomBytes(900_000);
    const sha256 = await rig.uploaded(bytes);
    await (await client.downloadSample(sha256)).body.cancel();
    assert.equal((await (await download(sha256)).arrayBuffer()).byteLength > bytes.length, true);
    assert.equal(digestOf(bytes), sha256);
  });
});

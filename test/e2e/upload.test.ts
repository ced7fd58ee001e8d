import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { RapsheetError } from '../../src/client/error.ts';
import { fixture } from '../analysis/fixture.ts';
import { TestInstallation } from '../installation.ts';
import { until } from '../until.ts';
import { uploadAndWait } from './server-setup.ts';

const PROGRAM = fixture('analysis/pe/hello64');

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function blobOf(bytes: Uint8Array): Blob {
  return new Blob([new Uint8Array(bytes)]);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function listProcesses(): readonly Process[] {
  const list = execFileSync('ps', ['-eo', 'pid=,ppid=,args=', '-ww'], { encoding: 'utf8' });
  return list.split('\n').map((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), command: args.join(' ') };
  });
}

const isWorker = ({ command }: Process) => /analysis\/worker\/worker\.[jt]s/.test(command);

/** The analysis workers among the descendants of a process. */
function workersOf(pid: number): readonly number[] {
  const all = listProcesses();
  const descendantsOf = (parent: number): readonly Process[] =>
    all
      .filter((one) => one.parent === parent)
      .flatMap((child) => [child, ...descendantsOf(child.pid)]);
  return descendantsOf(pid)
    .filter(isWorker)
    .map((worker) => worker.pid);
}

describe('an uploaded file', () => {
  const installation = new TestInstallation();
  let client: RapsheetClient;

  before(async () => {
    const { url } = await installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const { token } = await installation.json('account', 'add', 'alice', '--researcher');
    client = new RapsheetClient({ url, token, retries: 0 });
  });
  after(() => installation.close());

  it('has an analysis, found by each of its three hashes', async () => {
    const { status, sha256Hash, blake3Hash } = await uploadAndWait(
      client,
      blobOf(PROGRAM),
      'hello.exe',
    );
    assert.equal(status, 'done');
    assert.equal(sha256Hash, sha256Of(PROGRAM));
    const { report } = await client.lookUp(sha256Hash);
    assert.equal(report.fileName, 'hello.exe');
    assert.equal(report.sizeInBytes, PROGRAM.length);
    assert.equal(report.mD5Hash, createHash('md5').update(PROGRAM).digest('hex'));
    assert.ok(report.tags.some(({ name }) => name === 'PE64'));
    for (const hash of [blake3Hash, report.sha512Hash])
      assert.deepEqual((await client.lookUp(hash)).report, report);
  });

  it('has the evidence of its tags in the details', async () => {
    const { details } = await client.details(sha256Of(PROGRAM));
    const evidence = details.evidence.find(({ tag }) => tag === 'PE64');
    assert.equal(evidence?.source, 'pe');
    assert.ok(details.facts['pe']);
  });

  it('is pending until its analysis is stored', async () => {
    const bytes = Buffer.concat([PROGRAM, Buffer.from('another')]);
    const { sha256Hash } = await client.upload(blobOf(bytes), { fileName: 'b.exe' });
    const lookUp = () => client.lookUp(sha256Hash).catch((cause: RapsheetError) => cause);
    const first = await lookUp();
    // On a fast machine the analysis can be done already.
    if (first instanceof RapsheetError) assert.equal(first.code, 'analysis_pending');
    await uploadAndWait(client, blobOf(bytes), 'b.exe');
    assert.ok(!((await lookUp()) instanceof RapsheetError));
    assert.deepEqual(await client.sampleStatus(sha256Hash), { status: 'done' });
  });

  it('is similar to a file that differs in a few bytes', async () => {
    const { similar } = await client.similar(sha256Of(PROGRAM));
    assert.equal(similar[0]?.fileName, 'b.exe');
    assert.ok((similar[0]?.score ?? 0) > 80);
  });

  it('is close to that file by TLSH as well', async () => {
    const { similar } = await client.similar(sha256Of(PROGRAM), { by: 'tlsh' });
    assert.equal(similar[0]?.fileName, 'b.exe');
    assert.ok((similar[0]?.distance ?? 1000) < 30);
    const { details } = await client.details(sha256Of(PROGRAM));
    const found = await client.similarToTlsh(details.tlsh ?? '');
    assert.equal(found.similar[0]?.distance, 0);
  });

  it('is downloaded unchanged, in a zip with the usual password', async () => {
    const zip = Buffer.concat(
      await Array.fromAsync((await client.downloadSample(sha256Of(PROGRAM))).body),
    );
    assert.equal(zip.readUInt32LE(0), 0x04034b50);
    assert.equal(zip.indexOf(PROGRAM.subarray(0, 64)), -1);
    const { status, sha256Hash } = await uploadAndWait(client, blobOf(zip), 'again.zip');
    assert.equal(status, 'done');
    // The engine knows the password, and finds the program inside.
    const { details } = await client.details(sha256Hash);
    assert.equal(details.members[0]?.sha256, sha256Of(PROGRAM));
  });

  it('is not recognisable on the disk', () => {
    const folder = join(installation.dataDir, 'samples');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const path = files.find((name) => name.endsWith(sha256Of(PROGRAM)));
    assert.ok(path);
    const stored = readFileSync(join(folder, path));
    assert.equal(stored.indexOf(PROGRAM.subarray(0, 16)), -1);
    assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
  });

  it('is one sample and one analysis after concurrent uploads', async () => {
    const bytes = blobOf(Buffer.from('the same bytes from everybody'));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => uploadAndWait(client, bytes, `name-${index}`)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['done']));
    assert.equal(new Set(answers.map(({ sha256Hash }) => sha256Hash)).size, 1);
  });

  it('leaves no worker behind when the service ends', async () => {
    const other = new TestInstallation();
    const server = await other.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const { token } = await other.json('account', 'add', 'bob', '--researcher');
    const bob = new RapsheetClient({ url: server.url, token, retries: 0 });
    await uploadAndWait(bob, blobOf(PROGRAM), 'a');
    // Only the workers of this server: concurrent tests have their own.
    const workers = workersOf(server.pid);
    assert.ok(workers.length > 0);
    assert.equal(await server.end('SIGTERM'), 0);
    const alive = new Set(
      listProcesses()
        .filter(isWorker)
        .map(({ pid }) => pid),
    );
    assert.deepEqual(
      workers.filter((pid) => alive.has(pid)),
      [],
    );
    await other.close();
  });

  it('that stalls does not delay the shutdown, and leaves no file', async () => {
    const other = new TestInstallation();
    const server = await other.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const { token } = await other.json('account', 'add', 'carol', '--researcher');
    const incoming = () => readdirSync(join(other.dataDir, 'samples', 'incoming')).length;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const closed = new Promise<unknown>((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write(
      `POST /private/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nhalf`,
    );
    await until(() => incoming() > 0, 'the upload has started');
    assert.equal(await server.end('SIGTERM'), 0);
    assert.equal(incoming(), 0);
    await closed;
    await other.close();
  });
});

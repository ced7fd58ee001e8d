import assert from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import type { ExportRequest, OpenExport } from '../../ports/exports.ts';
import type { FeedState } from '../../ports/feed-store.ts';
import { ExportCache } from './export-cache.ts';
import type { Build, BuildEvent } from './export-messages.ts';

const SETTINGS = {
  baseUrl: 'https://x.example',
  namespace: 'n',
  allowed: [],
  listsDigest: '',
  declared: { hosts: [], networks: [], digest: '' },
  firstRuleNumber: 1,
};
const REQUEST: ExportRequest = { format: 'ndjson', scope: 'ply', filter: {}, options: {} };
const MAX_BYTES = 1000;

function stateAt(head: number): readonly FeedState[] {
  const service = {
    slug: 'ply',
    name: 'Ply',
    confidenceScale: 100,
    hosts: [],
    networks: [],
    expireAfterDays: 90,
    createdAt: new Date(0),
  };
  return [{ service, head, changedAt: new Date(head).toISOString() }];
}

class FakeBuild {
  readonly send: (event: BuildEvent) => void;
  readonly #fd: number;
  isCancelled = false;
  #bytes = 0;

  constructor({ fd }: Build, send: (event: BuildEvent) => void) {
    this.#fd = fd;
    this.send = send;
  }

  openAt(head: number): void {
    this.send({ kind: 'opened', feeds: stateAt(head) });
  }

  write(text: string): void {
    this.#bytes += writeSync(this.#fd, text, this.#bytes);
    this.send({ kind: 'written', bytes: this.#bytes });
  }

  fail(code?: string): void {
    this.send({ kind: 'failed', message: 'it failed', code });
  }
}

describe('the cache of exports', () => {
  let folder: string;
  let builds: FakeBuild[];
  let head: number;
  let isFull: boolean;
  let cache: ExportCache;
  const never = new AbortController().signal;
  const open = (request = REQUEST, signal = never) =>
    cache.open(request, { accountId: 'a', signal });
  /** Lets pending promises settle. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const last = async () => {
    await settle();
    return builds.at(-1) as FakeBuild;
  };
  const textOf = async ({ bytes, close }: OpenExport) => {
    let text = '';
    try {
      for await (const piece of bytes()) text += piece;
    } finally {
      close();
    }
    return text;
  };
  /** A complete export. */
  const built = async (text: string, request = REQUEST) => {
    const opening = open(request);
    const build = await last();
    build.openAt(head);
    build.write(text);
    build.send({ kind: 'done' });
    assert.equal(await textOf(await opening), text);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rapsheet-exports-'));
  });
  beforeEach(() => {
    builds = [];
    head = 1;
    isFull = false;
    cache = new ExportCache({
      feeds: { states: async () => stateAt(head) },
      builder: {
        get isFull() {
          return isFull;
        },
        start: (build, _, onEvent) => {
          const started = new FakeBuild(build, onEvent);
          builds.push(started);
          return () => {
            started.isCancelled = true;
          };
        },
        close: async () => undefined,
      },
      folder,
      maxBytes: MAX_BYTES,
      log: { error: () => undefined },
      settings: async () => SETTINGS,
    });
  });
  after(() => rm(folder, { recursive: true }));

  it('builds a version once for all readers, who read while it grows', async () => {
    const first = open();
    const build = await last();
    const second = open();
    await settle();
    build.openAt(1);
    const [one, other] = await Promise.all([first, second]);
    assert.equal(one.tag, other.tag);
    build.write('first ');
    const reader = one.bytes()[Symbol.asyncIterator]();
    assert.equal(String((await reader.next()).value), 'first ');
    build.write('second');
    build.send({ kind: 'done' });
    assert.equal(String((await reader.next()).value), 'second');
    assert.equal((await reader.next()).done, true);
    assert.equal(await textOf(other), 'first second');
    one.close();
    assert.equal(await textOf(await open()), 'first second');
    assert.equal(builds.length, 1);
    assert.deepEqual(await readdir(folder), []);
  });

  it('builds again after a change', async () => {
    await built('old');
    head = 2;
    await built('new');
    assert.equal(builds.length, 2);
  });

  it('returns no snapshot that is older than the call', async () => {
    const first = open();
    const build = await last();
    head = 2;
    // It joins the build, whose snapshot turns out to be too old.
    const second = open();
    await settle();
    build.openAt(1);
    const opened = await first;
    const other = await last();
    assert.notEqual(other, build);
    other.openAt(2);
    assert.notEqual((await second).tag, opened.tag);
    opened.close();
  });

  it('cancels a build that nobody waits for', async () => {
    const gone = new AbortController();
    const opening = open(REQUEST, gone.signal);
    const build = await last();
    gone.abort();
    await assert.rejects(opening);
    assert.equal(build.isCancelled, true);
    const opened = open();
    const other = await last();
    other.openAt(1);
    (await opened).close();
    assert.equal(other.isCancelled, true);
  });

  it('fails for its readers if the build fails, and builds again then', async () => {
    const opening = open();
    const build = await last();
    build.openAt(1);
    build.write('a part');
    const reading = textOf(await opening);
    build.fail('ENOSPC');
    await assert.rejects(reading, (cause) => (cause as Problem).code === 'disk_full');
    await built('whole');
  });

  it('fails before any byte if the snapshot cannot be opened', async () => {
    const opening = open();
    (await last()).fail();
    await assert.rejects(opening, (cause) => (cause as Problem).code === 'unavailable');
  });

  it('refuses builds beyond those that wait', async () => {
    isFull = true;
    await assert.rejects(open(), (cause) => {
      assert.ok(cause instanceof Problem);
      assert.equal(cause.code, 'exports_busy');
      assert.equal(cause.details.retryAfterSeconds, 5);
      return true;
    });
  });

  it('removes unread exports for others if the space is used up', async () => {
    const other = { ...REQUEST, format: 'json' };
    await built('x'.repeat(600));
    await built('y'.repeat(600), other);
    await built('z'.repeat(300));
    assert.equal(builds.length, 3);
    assert.equal((await textOf(await open(other))).length, 600);
  });

  it('counts the space of an earlier version until nobody reads it', async () => {
    const opening = open();
    const first = await last();
    first.openAt(1);
    first.write('x'.repeat(600));
    first.send({ kind: 'done' });
    const earlier = await opening;
    head = 2;
    const refused = open();
    const second = await last();
    second.openAt(2);
    const reading = textOf(await refused);
    second.write('y'.repeat(600));
    await assert.rejects(reading, (cause) => (cause as Problem).code === 'exports_full');
    assert.equal((await textOf(earlier)).length, 600, 'its readers are not disturbed');
    second.fail('ABORT_ERR');
    await built('z'.repeat(600));
  });

  it('counts the space of the files that an archive is made of', async () => {
    await built('x'.repeat(600));
    const opening = open({ ...REQUEST, format: 'suricata' });
    const build = await last();
    build.openAt(1);
    const opened = await opening;
    build.send({ kind: 'temporary', bytes: 600 });
    opened.close();
    await built('z'.repeat(600));
    assert.equal(builds.length, 3, 'the first export was removed to make room');
  });

  it('fails an export that is larger than the space', async () => {
    const opening = open();
    const build = await last();
    build.openAt(1);
    const reading = textOf(await opening);
    build.write('x'.repeat(MAX_BYTES + 1));
    await assert.rejects(reading, (cause) => (cause as Problem).code === 'exports_full');
    assert.equal(build.isCancelled, true);
  });
});

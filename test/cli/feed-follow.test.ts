import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { Followed, line, owner, parseLines, type Settings } from './feed-setup.ts';

describe('feed follow', () => {
  const installation = new TestInstallation();
  let url: string;
  let settings: Settings;
  const follow = (...words: string[]) =>
    new Followed(installation.start(['feed', 'follow', ...words], settings));
  const add = async (service: string, ...hosts: readonly string[]) => {
    const input = hosts.map((host) => line(host)).join('');
    const made = await installation.run(['report', 'add', service, '-', '--ndjson'], {
      input,
      settings,
    });
    assert.equal(made.code, 0, made.stderr);
    return parseLines(made.stdout).map(({ id }) => id as string);
  };
  const positionIn = (file: string): string =>
    JSON.parse(readFileSync(join(installation.folder, file), 'utf8')).position;

  before(async () => {
    url = await installation.serve();
    settings = await owner(installation, url, 'alice', 'ply');
  });
  after(() => installation.close());

  it('resumes from its state file without gaps or repeats, deletions included', async () => {
    const [id = ''] = await add('ply', 'a', 'b');
    const first = follow('ply', '--state', 'ply.json', '--from', 'start');
    const [one = ''] = await first.next(2);
    assert.match(one, new RegExp(`^1  created  ${id}  open  a\\.example\\.invalid:4444  `));
    await add('ply', 'c');
    assert.match((await first.next(1))[0] ?? '', /^3 {2}created/);
    assert.deepEqual(await first.end(), { rest: [], code: 0 });
    assert.equal(positionIn('ply.json'), '3');

    await installation.run(['report', 'remove', 'ply', id], { settings });
    await add('ply', 'd');
    const second = follow('ply', '--state', 'ply.json', '--from', 'start', '--json');
    const [deleted, created] = await second.json(2);
    assert.deepEqual([deleted.sequence, deleted.type, deleted.id], [4, 'deleted', id]);
    assert.deepEqual([created.sequence, created.type], [5, 'created']);
    assert.deepEqual(await second.end('SIGTERM'), { rest: [], code: 0 });
  });

  it('follows all feeds', async () => {
    await installation.json('service', 'add', 'tun');
    const words = ['feed', 'follow', 'all', '--state', 'ply.json'];
    const { code, stderr } = await installation.run(words, { settings });
    assert.equal(code, 2);
    assert.match(stderr, /is the state of the feed "ply"/);
    const all = follow('all', '--state', 'all.json', '--from', 'start', '--json');
    await add('tun', 'x');
    const seen = new Map<string, number>();
    for (let last = { service: '' }; last.service !== 'tun'; ) {
      const [change] = await all.json(1);
      assert.equal(change.sequence, (seen.get(change.service) ?? 0) + 1);
      seen.set(change.service, change.sequence);
      last = change;
    }
    await all.end();
    assert.equal(seen.get('tun'), 1);
  });

  it('lists the whole feed again if the server no longer knows its position', async () => {
    installation.file('far.json', '{"feed":"tun","position":"1000000"}');
    const lost = follow('tun', '--state', 'far.json', '--json');
    const [reset, listed] = await lost.json(2);
    assert.deepEqual(reset, { type: 'reset' });
    assert.equal(listed.type, 'listed');
    assert.equal(listed.report.c2Address, 'x.example.invalid:4444');
    await add('tun', 'y');
    assert.equal((await lost.json(1))[0].sequence, 2);
    await lost.end();
    assert.equal(positionIn('far.json'), '2');
  });

  it('polls for changes if the stream is blocked', async () => {
    const proxy = createServer((incoming, outgoing) => {
      if (incoming.url?.includes('/stream')) {
        outgoing.writeHead(501).end();
        return;
      }
      const { method, headers } = incoming;
      const onward = request(`${url}${incoming.url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const words = ['feed', 'follow', 'tun', '--from', 'start', '--url', `http://127.0.0.1:${port}`];
    const child = installation.start(words, settings);
    const matched = waitForOutput(
      child,
      /The stream cannot be opened, so the command polls for changes/,
    );
    const polling = new Followed(child);
    assert.equal((await polling.next(2)).length, 2);
    await matched;
    assert.deepEqual(await polling.end(), { rest: [], code: 0 });
    proxy.closeAllConnections();
    proxy.close();
  });

  it('ends when the reader of its output closes the pipe', async () => {
    const child = installation.start(['feed', 'follow', 'ply', '--from', 'start'], settings);
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await add('ply', 'e');
    assert.deepEqual(await closed, [0, null]);
  });

  it('reports invalid options at once', async () => {
    const end = async (...words: string[]) =>
      (await installation.run(['feed', 'follow', ...words], { settings })).code;
    const ends = [
      end('nope'),
      end('ply', '--from', 'yesterday'),
      end('ply', '--url', 'http://127.0.0.1:9'),
    ];
    assert.deepEqual(await Promise.all(ends), [3, 2, 6]);
  });
});

describe('feed follow, while the server is restarted', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  it('reconnects and continues', async () => {
    // Nothing else takes it while the server is restarted.
    const port = { RAPSHEET_PORT: String(await freePort()) };
    const server = await installation.server(port);
    const settings = await owner(installation, server.url, 'alice', 'ply');
    const add = (host: string) =>
      installation.run(['report', 'add', 'ply', '-'], { input: line(host), settings });
    await add('a');
    const words = ['feed', 'follow', 'ply', '--from', 'start', '--state', 's.json', '--json'];
    const followed = new Followed(installation.start(words, settings));
    assert.equal((await followed.json(1))[0].sequence, 1);
    assert.equal(await server.end('SIGTERM'), 0);
    await installation.server(port);
    await add('b');
    assert.equal((await followed.json(1))[0].sequence, 2);
    assert.deepEqual(await followed.end(), { rest: [], code: 0 });
  });
});

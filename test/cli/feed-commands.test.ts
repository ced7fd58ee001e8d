import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { Followed, line, owner, parseLines, type Settings } from './feed-setup.ts';

describe('the feed commands', () => {
  const installation = new TestInstallation();
  let alice: Settings;
  const run = (...words: string[]) => installation.run(words, { settings: alice });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const bulk = (service: string, input: string, ...words: string[]) =>
    installation.run(['report', 'add', service, '-', ...words], { input, settings: alice });

  before(async () => {
    alice = await owner(installation, await installation.serve(), 'alice', 'ply');
    await installation.json('service', 'add', 'tun');
    const filled = await bulk('tun', ['a', 'b', 'c', 'd', 'e'].map((host) => line(host)).join(''));
    assert.equal(filled.code, 0, filled.stderr);
  });
  after(() => installation.close());

  describe('feed export', () => {
    it('writes a file, and not again before the feed changes', async () => {
      const file = installation.file('export.ndjson', '');
      const words = ['feed', 'export', 'tun', 'ndjson', '--out', file, '--if-changed'];
      const written = await run(...words);
      assert.equal(written.code, 0, written.stderr);
      assert.equal(parseLines(readFileSync(file, 'utf8')).length, 6);
      const again = await run(...words);
      assert.equal(again.code, 0, again.stderr);
      assert.match(again.stderr, /is unchanged\.$/m);
    });

    it('writes to standard output, with filters', async () => {
      for (const out of [[], ['--out', '-']]) {
        const words = ['feed', 'export', 'tun', 'json', '--port', '1', ...out];
        const { code, stdout } = await run(...words);
        assert.equal(code, 0);
        assert.equal(JSON.parse(stdout).rows, 0);
      }
    });

    it('keeps a link, and replaces nothing that is not a file', async () => {
      const target = installation.file('target.txt', '');
      const link = join(installation.folder, 'link.txt');
      symlinkSync(target, link);
      assert.equal((await run('feed', 'export', 'tun', 'txt', '--out', link)).code, 0);
      assert.ok(lstatSync(link).isSymbolicLink());
      assert.match(readFileSync(target, 'utf8'), /# END rows=/);
      const socket = join(installation.folder, 'socket');
      const server = createServer().listen(socket);
      await once(server, 'listening');
      const refused = await run('feed', 'export', 'tun', 'txt', '--out', socket);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /socket is not a file/);
      assert.ok(lstatSync(socket).isSocket());
      server.close();
      const absent = await run('feed', 'export', 'tun', 'txt', '--out', `${target}/x/y`);
      assert.match(absent.stderr, /there is no folder .*target\.txt\/x$/m);
    });

    it('names what is wrong', async () => {
      const format = await run('feed', 'export', 'tun', 'docx');
      assert.equal(format.code, 3);
      assert.match(format.stderr, /json, ndjson/);
      assert.equal((await run('feed', 'export', 'tun', 'json', '--if-changed')).code, 2);
      assert.equal((await run('feed', 'export', 'tun', 'json', '--option', 'x')).code, 2);
    });
  });

  describe('report add with a file of lines', () => {
    it('tells that the server slows the account down, and for how long', async () => {
      const { token } = await installation.json('account', 'add', 'slow', '--researcher');
      const settings = { ...alice, RAPSHEET_TOKEN: token };
      await installation.json('account', 'set', 'slow', '--create-rate', '6000/10');
      await installation.json('service', 'add', 'slowed');
      const [, ...lines] = Array.from({ length: 131 }, (_, index) => line(`slow${index}`));
      const { code, stdout, stderr } = await installation.run(['report', 'add', 'slowed', '-'], {
        input: lines.join(''),
        settings,
      });
      assert.equal(code, 0, stderr);
      assert.equal(stdout, '130 created, 0 created before, 0 refused\n');
      assert.match(
        stderr,
        /^The server accepts 100 reports a second from this account; about 2 s for 130 lines\.$/m,
      );
    });

    it('sends the valid lines, names the rejected ones, and exits with 1', async () => {
      const bad = line('bad', { confidenceScore: 1000 });
      const file = installation.file('a.ndjson', `${line('x1')}\n${bad}nonsense\n${line('x2')}`);
      const { code, stdout, stderr } = await run('report', 'add', 'ply', file);
      assert.equal(code, 1);
      assert.equal(stdout, '2 created, 0 created before, 2 refused\n');
      assert.match(stderr, /^line 3: confidenceScore must be /m);
      assert.match(stderr, /^line 4: The line is not valid JSON/m);
      assert.doesNotMatch(stderr, /^line [125]:/m);
    });

    it('creates no duplicate with the same key', async () => {
      const lines = line('y1') + line('y2');
      const [first, again] = [
        await bulk('ply', lines, '--key', 'case 1', '--json'),
        await bulk('ply', lines + line('y3'), '--key', 'case 1', '--json'),
      ];
      const result = { replayed: 0, refused: 0, c2Rejected: 0, refusals: [], key: 'case 1' };
      assert.deepEqual(JSON.parse(first.stdout), { created: 2, ...result });
      assert.deepEqual(JSON.parse(again.stdout), { ...result, created: 1, replayed: 2 });
    });

    it('sends lines in several batches, and keeps their numbers', async () => {
      const lines = 'x\n'.repeat(10_050) + line('z1');
      const { stdout, stderr } = await bulk('ply', lines, '--ndjson', '--key', 'many');
      const results = parseLines(stdout);
      assert.equal(results.length, 10_051);
      assert.deepEqual(
        results.map((result) => result.line),
        Array.from({ length: 10_051 }, (_, index) => index + 1),
      );
      assert.ok(results.at(-1).id);
      assert.match(stderr, /^… and 9950 more refused lines$/m);
      assert.match(stderr, /^1 created, 0 created before, 10050 refused$/m);
      // The second batch has its own key.
      const again = await bulk('ply', lines, '--ndjson', '--key', 'many');
      assert.equal(parseLines(again.stdout).at(-1).id, results.at(-1).id);
    });

    it('prints at a signal the key to resume with', async () => {
      const child = installation.start(['report', 'add', 'ply', '-', '--ndjson'], alice);
      const followed = new Followed(child);
      const matched = waitForOutput(
        child,
        /the command was stopped; run it again with --key "([0-9a-f-]{36})"/,
      );
      // One batch, and a line that is pending for the next one.
      const batch = line('s1') + 'x\n'.repeat(9999);
      child.stdin.write(batch + line('s2'));
      const [first] = await followed.json(10_000);
      const { code } = await followed.end();
      assert.equal(code, 1);
      const [, key = ''] = await matched;
      const again = await bulk('ply', batch + line('s2'), '--ndjson', '--key', key);
      const results = parseLines(again.stdout);
      assert.equal(results[0].id, first.id);
      assert.equal(results[0].replayed, true);
      assert.equal(results.at(-1).replayed, undefined);
    });

    it('sends nothing for empty input, and names a file that it cannot read', async () => {
      assert.equal((await bulk('ply', '\n')).stdout, '0 created, 0 created before, 0 refused\n');
      const missing = await run('report', 'add', 'ply', 'nowhere.ndjson');
      assert.match(missing.stderr, /there is no file nowhere\.ndjson/);
      assert.equal((await bulk('nope', line('x'))).code, 3);
    });
  });

  describe('report add with a document', () => {
    const sha256 = 'ab'.repeat(32);
    const submit = (format: string, document: unknown, ...words: string[]) => {
      const file = installation.file(`${format}.json`, JSON.stringify(document));
      return run('report', 'add', 'ply', file, '--format', format, ...words);
    };

    it('prints the id of a report in XARF', async () => {
      const { code, stdout, stderr } = await submit('xarf', {
        xarf_version: '4.2.0',
        source_identifier: 'xarf.example.invalid',
        source_port: 4444,
        category: 'infrastructure',
        type: 'botnet',
        hash: `sha256:${sha256}`,
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^[0-9a-f-]{36}\n$/);
    });

    it('counts the reports of a MISP event, and creates none twice', async () => {
      const event = {
        uuid: '5f7d1d2e-0000-4000-8000-000000000001',
        Attribute: [
          { type: 'hostname|port', value: 'misp.example.invalid|1' },
          { type: 'hostname|port', value: 'misp.example.invalid|2' },
          { type: 'sha256', value: sha256 },
        ],
      };
      const first = await submit('misp', event);
      assert.equal(first.stdout, '2 created, 0 created before, 0 refused\n', first.stderr);
      const again = await submit('misp', { Event: event }, '--json');
      const { results, ...counts } = JSON.parse(again.stdout);
      assert.deepEqual(counts, { created: 0, replayed: 2, refused: 0 });
      assert.equal(results[1].c2Address, 'misp.example.invalid:2');
    });

    it('says of the objects of a STIX bundle what was refused', async () => {
      const indicator = (name: string, pattern: string) => ({
        type: 'indicator',
        spec_version: '2.1',
        id: `indicator--${name}`,
        created: '2026-11-16T10:00:00.000Z',
        modified: '2026-11-16T10:00:00.000Z',
        pattern_type: 'stix',
        pattern,
      });
      const file = `[file:hashes.'SHA-256' = '${sha256}']`;
      const c2 = `[network-traffic:dst_ref.value = 'stix.example.invalid' AND network-traffic:dst_port = 4444] AND ${file}`;
      const objects = [indicator('both', c2), indicator('file', file)];
      const { code, stdout, stderr } = await submit('stix', { type: 'bundle', objects });
      assert.equal(code, 1);
      assert.equal(stdout, '1 objects accepted, 1 refused\n');
      assert.match(stderr, /^indicator--file: No indicator of a C2 belongs to this one/m);
    });

    it('names what is wrong', async () => {
      assert.equal((await submit('csv', {})).code, 2);
      assert.equal((await submit('stix', {}, '--key', 'x')).code, 2);
      const list = await submit('misp', []);
      assert.equal(list.code, 1);
      assert.match(list.stderr, /is not one JSON object$/m);
      const empty = await submit('misp', {});
      assert.match(empty.stderr, /The body must be one MISP event/);
    });
  });

  describe('report list', () => {
    it('shows a table, newest first', async () => {
      const { code, stdout, stderr } = await run('report', 'list', 'tun');
      assert.equal(code, 0, stderr);
      const [head = '', ...rows] = stdout.trim().split('\n');
      assert.match(
        head,
        /^ID +REPORTED +STATUS +CONFIRMATION +CONFIDENCE +SIGHTINGS +C2 +NAME +TAGS +BY$/,
      );
      assert.deepEqual(
        rows.map((row) => /(\w)\.example\.invalid:4444/.exec(row)?.[1]),
        ['e', 'd', 'c', 'b', 'a'],
      );
    });

    it('continues with the next page, or prints all pages', async () => {
      const first = await run('report', 'list', 'tun', '--limit', '2', '--order', 'asc');
      const [, cursor = ''] = /--cursor (\S+), or list all/.exec(first.stderr) ?? [];
      const words = ['report', 'list', 'tun', '--limit', '2', '--order', 'asc'];
      const { reports } = await json(...words, '--cursor', cursor);
      const hosts = (list: readonly { c2Address: string }[]) =>
        list.map(({ c2Address }) => c2Address[0]).join('');
      assert.equal(hosts(reports), 'cd');
      const all = await run(...words, '--all', '--ndjson');
      assert.equal(hosts(parseLines(all.stdout)), 'abcde');
      const table = await run(...words, '--all');
      assert.equal(table.stdout.match(/REPORTED/g)?.length, 1);
      assert.equal(table.stdout.trim().split('\n').length, 6);
    });

    it('takes filters, and prints a message if nothing matches', async () => {
      const found = await json('report', 'list', 'all', '--c2', 'b[.]example[.]invalid:4444');
      assert.deepEqual(
        found.reports.map(({ service }: { service: string }) => service),
        ['tun'],
      );
      const filters = ['--since', '2020-01-01', '--tag', 'none', '--min-confidence', '1'];
      const none = await run('report', 'list', 'tun', ...filters);
      assert.deepEqual(none, { code: 0, stdout: '', stderr: 'No entries.\n' });
    });

    it("exits with 2, or prints the server's message, for invalid input", async () => {
      assert.equal((await run('report', 'list', 'tun', '--port', 'x')).code, 2);
      assert.equal((await run('report', 'list', 'tun', '--status', 'odd')).code, 2);
      const { code, stderr } = await run('report', 'list', 'tun', '--limit', '0');
      assert.equal(code, 1);
      assert.match(stderr, /^rapsheet report list: --limit must be an integer from 1 to 1000/);
      assert.equal((await run('report', 'list', 'nope')).code, 3);
    });
  });

  describe('feed changes', () => {
    it('lists the changes after a sequence, and prints how to continue', async () => {
      const { stdout, stderr } = await run('feed', 'changes', 'tun', '--since', '3');
      assert.match(stdout, /^NUMBER +CHANGE +ID +STATUS +C2 +NAME\n4 +created .*\n5 +created /);
      assert.match(stderr, /^No more changes yet; continue with --since 5\.$/m);
      const page = await json('feed', 'changes', 'tun', '--limit', '2');
      assert.deepEqual([page.next, page.head, page.hasMore], [2, 5, true]);
      const all = await run('feed', 'changes', 'tun', '--limit', '2', '--all', '--ndjson');
      assert.deepEqual(
        parseLines(all.stdout).map(({ sequence }) => sequence),
        [1, 2, 3, 4, 5],
      );
    });

    it('prints a position for all feeds', async () => {
      const { next } = await json('feed', 'changes', 'all', '--since', 'head');
      const { changes } = await json('feed', 'changes', 'all', '--since', next);
      assert.deepEqual(changes, []);
      assert.equal((await run('feed', 'changes', 'all', '--since', 'x')).code, 1);
    });
  });

  describe('the desk', () => {
    let ids: readonly string[];
    before(async () => {
      const lines = ['d1', 'd2', 'd3', 'd4'].map((host) => line(host, { tags: ['desk'] }));
      const { stdout } = await bulk('ply', lines.join(''), '--ndjson');
      ids = parseLines(stdout).map(({ id }) => id);
    });

    it('lists open reports, oldest first', async () => {
      const { reports } = await json(
        'report',
        'list',
        'ply',
        '--status',
        'open',
        '--order',
        'asc',
        '--tag',
        'desk',
      );
      assert.deepEqual(
        reports.map(({ id }: { id: string }) => id),
        ids,
      );
    });

    it('sets the status of reports, and prints it', async () => {
      const [one = '', other = ''] = ids;
      const words = ['--status', 'actioned', '--reason', 'taken_down', '--note', 'gone\nthanks'];
      const { stdout } = await run('report', 'set', 'ply', one, other, ...words);
      assert.equal(stdout, '2 reports changed\n');
      const shown = await run('report', 'show', 'ply', one);
      assert.match(shown.stdout, /^confirmed +not known/m);
      const past = await run('report', 'show', 'ply', one, '--history');
      assert.match(past.stdout, /^AT +CHANGE +REASON +BY +NOTE\n\S+ +created +/);
      assert.equal(past.stdout.trim().split('\n').length, 3);
      assert.match(
        shown.stdout,
        /^status +actioned \(taken_down\)\nset by +alice\nnote +gone\n +thanks\n/m,
      );
      const { reports } = await json(
        'report',
        'list',
        'ply',
        '--status',
        'open',
        '--order',
        'asc',
        '--tag',
        'desk',
      );
      assert.equal(reports.length, 2);
    });

    it('sets the status of all matching reports on request', async () => {
      const words = ['--where-tag', 'desk', '--where-status', 'open', '--status', 'acknowledged'];
      const slip = await run('report', 'set', 'ply', ...words);
      assert.equal(slip.code, 2);
      assert.match(slip.stderr, /add --all-matching/);
      const done = await json('report', 'set', 'ply', '--all-matching', ...words);
      assert.deepEqual(done, { changed: 2, successful: true });
    });

    it('leaves decided reports as they are, unless their status is named', async () => {
      // Two of these reports are actioned, two acknowledged.
      const set = ['report', 'set', 'ply', '--all-matching', '--where-tag', 'desk'];
      const reopen = [...set, '--status', 'open'];
      assert.deepEqual(await json(...reopen, '--dry-run'), {
        matching: 2,
        isLowerBound: false,
        statuses: { open: 0, acknowledged: 2 },
      });
      const told = await run(...reopen, '--where-status', 'actioned', '--dry-run');
      assert.equal(told.stdout, '2 reports match: 2 actioned. Nothing was changed.\n');
      assert.deepEqual(await json(...reopen, '--yes'), { changed: 2, successful: true });
      const back = await json(...set, '--status', 'acknowledged', '--note', 'again');
      assert.deepEqual(back, { changed: 2, successful: true });
      const list = ['report', 'list', 'ply', '--tag', 'desk', '--status', 'actioned'];
      assert.equal((await json(...list)).reports.length, 2);
    });

    it('names missing reports, and changes the others', async () => {
      const absent = '00000000-0000-7000-8000-000000000000';
      const words = ['report', 'set', 'ply', absent, ids[3] ?? '', '--status', 'open'];
      const { code, stdout, stderr } = await run(...words);
      assert.equal(code, 3);
      assert.equal(stdout, '1 report changed\n');
      assert.match(stderr, new RegExp(`^${absent}: this feed has no such report`));
    });

    it('is only for owners of the feed', async () => {
      const { code } = await run('report', 'set', 'tun', ids[0] ?? '', '--status', 'open');
      assert.equal(code, 4);
    });

    it('requires a status and a selection of reports', async () => {
      const [one = ''] = ids;
      const slips = [
        [one],
        ['--status', 'open'],
        ['--status', 'open', '--all-matching'],
        [one, '--status', 'open', '--where-tag', 'x'],
        [one, '--status', 'open', '--dry-run'],
        ['--status', 'open', '--where-tag', 'x', '--yes'],
        ['--status', 'open', '--where-tag', 'x', '--all-matching', '--yes', '--dry-run'],
      ];
      const ends = await Promise.all(slips.map((words) => run('report', 'set', 'ply', ...words)));
      assert.deepEqual(
        ends.map(({ code }) => code),
        [2, 2, 2, 2, 2, 2, 2],
      );
    });
  });
});

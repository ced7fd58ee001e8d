import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CommandError, EXIT } from '../../src/cli/command.ts';
import { sampleDownload } from '../../src/cli/commands/sample/download.ts';
import { sha256Of, wireAnalysis } from '../builders.ts';
import { TestInstallation } from '../installation.ts';
import { line, owner, parseLines, type Settings } from './feed-setup.ts';

const KNOWN = sha256Of('known');
const OTHER = sha256Of('other');
const UNKNOWN = sha256Of('unknown');

describe('the commands of the API', () => {
  const installation = new TestInstallation();
  let url: string;
  let alice: Settings;
  const run = (...words: string[]) => installation.run(words, { settings: alice });

  async function researcher(name: string, quota: number): Promise<Settings> {
    const words = ['account', 'add', name, '--researcher', '--quota', String(quota)];
    return { RAPSHEET_URL: url, RAPSHEET_TOKEN: (await installation.json(...words)).token };
  }

  before(async () => {
    url = await installation.serve();
    const lines = ['known', 'other'].map((name) => `${JSON.stringify(wireAnalysis(name))}\n`);
    const file = installation.file('samples.ndjson', lines.join(''));
    await installation.json('sample', 'import', file);
    alice = await researcher('alice', 1000);
  });
  after(() => installation.close());

  it('print a line of JSON for every hash, found or not', async () => {
    const { code, stdout } = await run('lookup', UNKNOWN, KNOWN, '--json');
    assert.equal(code, 3);
    const [missing, found, ...rest] = parseLines(stdout);
    assert.deepEqual(rest, []);
    assert.deepEqual([missing.hash, missing.status], [UNKNOWN, 404]);
    assert.match(missing.error, /^There is no analysis report/);
    const { hash, status, ...report } = found;
    assert.deepEqual([hash, status], [KNOWN, 200]);
    assert.deepEqual(report, wireAnalysis('known'), 'its members are where they were');
  });

  it('look up the hashes of standard input, and take no unit for other lines', async () => {
    const settings = await researcher('bob', 10);
    const input = `# from a case\n\n${KNOWN}  ./a file.exe\r\n\\${OTHER} *b\nbeef\n${UNKNOWN}`;
    const { code, stdout, stderr } = await installation.run(['lookup', '-', '--json'], {
      settings,
      input,
    });
    assert.equal(code, 1, stderr);
    assert.deepEqual(
      parseLines(stdout).map(({ hash, status }) => [hash, status]),
      [
        [KNOWN, 200],
        [OTHER, 200],
        ['beef', 400],
        [UNKNOWN, 404],
      ],
    );
    assert.match(stderr, /7 lookups are left.*\n.*1 of 4 lines have no hash/);
  });

  it('spend what is left of the quota, and say what was not looked up', async () => {
    const settings = await researcher('carol', 2);
    const input = [KNOWN, UNKNOWN, OTHER, KNOWN].join('\n');
    const { code, stdout, stderr } = await installation.run(['lookup', '-', '--json'], {
      settings,
      input,
    });
    assert.equal(code, 5);
    assert.deepEqual(
      parseLines(stdout).map(({ status }) => status),
      [200, 404, 429, 429],
    );
    assert.match(stderr, /^0 lookups are left.*\n2 of 4 were not looked up\.\n/);
    const one = await installation.run(['lookup', KNOWN, OTHER, '--output', 'raw'], { settings });
    assert.equal(one.code, 5);
    assert.match(one.stdout, new RegExp(`^${KNOWN}\t429\t.*\n${OTHER}\t429\t.*\n$`));
  });

  it('print what was found for an import, or as CSV', async () => {
    const found = await run('lookup', UNKNOWN, KNOWN, '--ndjson');
    assert.deepEqual(parseLines(found.stdout), [wireAnalysis('known')]);
    const imported = await installation.run(['sample', 'import', '-'], { input: found.stdout });
    assert.equal(imported.code, 0, imported.stderr);
    const { stdout } = await run('lookup', UNKNOWN, KNOWN, '--output', 'csv');
    const [header, missing, hit] = stdout.split('\r\n');
    assert.match(header ?? '', /^"hash","status","sha256","file_name",/);
    assert.match(missing ?? '', new RegExp(`^"${UNKNOWN}","404","",`));
    assert.match(hit ?? '', new RegExp(`^"${KNOWN}","200","${KNOWN}","known.exe",`));
  });

  it('refuse - beside hashes, and an input without hashes', async () => {
    const mixed = await run('lookup', KNOWN, '-');
    assert.deepEqual([mixed.code, mixed.stdout], [2, '']);
    const empty = await installation.run(['lookup', '-'], { settings: alice, input: '# none\n' });
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /standard input has no hashes/);
  });

  it('show the status of files without taking quota', async () => {
    const settings = await researcher('dora', 1);
    const input = `${KNOWN}\n${UNKNOWN}\nbeef\n`;
    const asked = (words: string[]) =>
      installation.run(['sample', 'status', ...words], { settings, input });
    const { code, stdout, stderr } = await asked(['-', '--json']);
    assert.equal(code, 3);
    assert.match(stderr, /2 of 3 files are not known/);
    assert.deepEqual(
      parseLines(stdout).map(({ hash, status }) => [hash, status]),
      [
        [KNOWN, 'done'],
        [UNKNOWN, 'unknown'],
        ['beef', 'unknown'],
      ],
    );
    const table = await asked([KNOWN]);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, new RegExp(`^HASH +STATUS +REASON\n${KNOWN} +done +-\n$`));
    assert.equal((await asked(['beef'])).code, 2);
    const left = await installation.run(['usage', 'show', '--balance', '--json'], { settings });
    assert.equal(JSON.parse(left.stdout).requests_left, 1);
  });

  it('show a report with its details, for a unit', async () => {
    const { code, stdout, stderr } = await run('lookup', KNOWN, '--details');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^known\.exe\n/);
    assert.match(stderr, /was imported.*\n\d+ lookups are left/);
    const shown = JSON.parse((await run('lookup', KNOWN, '--details', '--json')).stdout);
    assert.deepEqual([shown.report.sha256Hash, shown.details], [KNOWN, null]);
    assert.equal((await run('lookup', UNKNOWN, '--details')).code, 3);
    assert.equal((await run('lookup', 'beef', '--details')).code, 2);
  });

  it('list similar files', async () => {
    const { ssDeep } = wireAnalysis('known');
    const { code, stdout, stderr } = await run('sample', 'similar', '--ssdeep', ssDeep, '--json');
    assert.equal(code, 0, stderr);
    const hashes = JSON.parse(stdout).similar.map((one: { sha256Hash: string }) => one.sha256Hash);
    assert.ok(hashes.includes(KNOWN));
    assert.match(stderr, /lookups are left/);
    assert.match((await run('sample', 'similar', KNOWN)).stderr, /lookups are left/);
    assert.match(
      (await run('sample', 'similar', '--ssdeep', ssDeep)).stdout,
      /^SCORE +DISTANCE +SHA-256 +FILE +TAGS\n/,
    );
    assert.equal((await run('sample', 'similar', UNKNOWN)).code, 3);
    const close = await run('sample', 'similar', KNOWN, '--by', 'tlsh', '--json');
    assert.equal(close.code, 3);
    assert.match(close.stderr, /has no TLSH digest/);
    const none = await run('sample', 'similar', '--tlsh', '0'.repeat(70), '--json');
    assert.deepEqual(JSON.parse(none.stdout), { similar: [] });
    assert.match(none.stderr, /No file is similar/);
    for (const words of [
      [],
      [KNOWN, '--ssdeep', ssDeep],
      ['--tlsh', '0'.repeat(70), '--ssdeep', ssDeep],
      ['--ssdeep', ssDeep, '--by', 'tlsh'],
      [KNOWN, '--by', 'sdhash'],
      ['beef'],
    ])
      assert.equal((await run('sample', 'similar', ...words)).code, 2);
  });

  describe('that download', () => {
    const zipOf = (name: string) => readFileSync(join(installation.folder, name));
    const LOCAL_FILE = Buffer.from('PK\x03\x04');
    let sha256: string;

    before(async () => {
      const file = installation.file('a.bin', 'harmless');
      const sent = await run('sample', 'add', file, '--no-wait', '--json');
      [{ sha256Hash: sha256 }] = JSON.parse(sent.stdout);
    });

    it('write a zip that is named by the SHA-256, and name the password', async () => {
      const { code, stdout, stderr } = await run('sample', 'download', sha256.toUpperCase());
      assert.equal(code, 0, stderr);
      assert.equal(stdout, `${sha256}.zip\n`);
      assert.match(stderr, /The password of the zip is "infected"/);
      assert.deepEqual(zipOf(`${sha256}.zip`).subarray(0, 4), LOCAL_FILE);
    });

    it('overwrite a file only with --force', async () => {
      const out = 'kept.zip';
      writeFileSync(join(installation.folder, out), 'kept');
      const refused = await run('sample', 'download', sha256, '--out', out);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /kept\.zip exists: .*--force/);
      assert.equal(String(zipOf(out)), 'kept');
      const forced = await run('sample', 'download', sha256, '--out', out, '--force', '--json');
      assert.deepEqual(JSON.parse(forced.stdout), { file: out, sha256, password: 'infected' });
      assert.deepEqual(zipOf(out).subarray(0, 4), LOCAL_FILE);
    });

    it('write to standard output, unless it is a terminal', async (test) => {
      const { code, stdout } = await run('sample', 'download', sha256, '--out', '-');
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(String(LOCAL_FILE)));
      const before = process.stdout.isTTY;
      test.after(() => Object.assign(process.stdout, { isTTY: before }));
      Object.assign(process.stdout, { isTTY: true });
      const nothing = () => undefined;
      const asked = sampleDownload.run({
        groups: [],
        positionals: [sha256],
        options: { out: '-' },
        json: false,
        print: nothing,
        printMessage: nothing,
      });
      await assert.rejects(
        asked,
        (cause) => cause instanceof CommandError && cause.exitCode === EXIT.usage,
      );
    });

    it('write nothing for an unknown file', async () => {
      const { code } = await run('sample', 'download', UNKNOWN);
      assert.equal(code, 3);
      assert.equal(existsSync(join(installation.folder, `${UNKNOWN}.zip`)), false);
      assert.equal((await run('sample', 'download', 'beef')).code, 2);
    });
  });

  describe('that print lists', () => {
    let desk: Settings;
    const asDesk = (...words: string[]) => installation.run(words, { settings: desk });
    const rows = (text: string) => text.trimEnd().split('\n');

    before(async () => {
      desk = await owner(installation, url, 'desk', 'ply');
      await installation.json('service', 'set', 'ply', '--host', '*.ply.example', '--name', '=PLY');
      const input = line('one') + line('two', { tags: ['a|b', 'c'] });
      const reported = await installation.run(['report', 'add', 'ply', '-'], {
        settings: desk,
        input,
      });
      assert.equal(reported.code, 0, reported.stderr);
      assert.equal(reported.stdout, '2 created, 0 created before, 0 refused\n');
    });

    it('print CSV with a header, and raw values without', async () => {
      const csv = await asDesk('report', 'list', 'ply', '--output', 'csv');
      assert.equal(csv.code, 0, csv.stderr);
      const [header = '', first = ''] = csv.stdout.split('\r\n');
      assert.match(header, /^"id","reported_at","service","status","status_reason",/);
      assert.match(
        first,
        /,"ply","open","",.*,"two\.example\.invalid:4444",.*,"a\\\|b\|c","desk",/,
      );
      const raw = rows((await asDesk('report', 'list', 'ply', '--output', 'raw')).stdout);
      assert.deepEqual(
        raw.map((text) => text.split('\t')[9]),
        ['two.example.invalid:4444', 'one.example.invalid:4444'],
      );
      const changes = await asDesk('feed', 'changes', 'ply', '--output', 'raw');
      assert.match(changes.stdout, /^ply\t1\tcreated\t/);
      const desks = await asDesk(
        'report',
        'list',
        'ply',
        '--status',
        'open',
        '--order',
        'asc',
        '--all',
        '--limit',
        '1',
        '--output',
        'csv',
      );
      assert.equal(desks.stdout.match(/"reported_at"/g)?.length, 1, 'one header for all pages');
      assert.equal(desks.stdout.split('\r\n').length, 4);
    });

    it('print no formula', async () => {
      for (const words of [
        ['service', 'list'],
        ['service', 'list', '--store'],
      ]) {
        const { stdout } = await asDesk(...words, '--output', 'csv');
        assert.match(stdout, /^"slug","name","scale",.*\r\n"ply","'=PLY","100","\*\.ply\.example"/);
        const json = await asDesk(...words, '--output', 'json');
        assert.equal(JSON.parse(json.stdout).services[0].name, '=PLY');
      }
    });

    it('print statistics, charges and the audit log', async () => {
      await asDesk('lookup', sha256Of('unknown'));
      const usage = await asDesk('usage', 'show', '--output', 'raw');
      assert.match(usage.stdout, /^\d{4}-\d\d-\d\d\t1\tlookup\t/);
      const days = await asDesk('statistics', 'show', 'ply', '--days', '7', '--output', 'raw');
      assert.equal(rows(days.stdout).length, 7);
      const shown = await asDesk('c2', 'show', 'one.example.invalid:4444');
      assert.match(shown.stdout, /^open in +ply$/m);
      assert.match(shown.stdout, /^reported by +\w+ \(1\)$/m);
      const related = await asDesk('c2', 'show', 'one.example.invalid', '--related');
      assert.match(related.stdout, /^same host +one\.example\.invalid:4444/m);
      assert.equal((await asDesk('c2', 'show', 'a.b', '--related', '--route')).code, 2);
      const known = await asDesk('c2', 'show', 'one.example.invalid', '--output', 'raw');
      assert.match(known.stdout, /\tply\topen\tone\.example\.invalid:4444\t/);
      const audit = await asDesk('audit', 'list', '--limit', '1', '--output', 'csv');
      assert.match(audit.stdout, /^"id","at","actor","action","subject","detail"\r\n"\d+",/);
      assert.match(
        (await asDesk('account', 'list', '--output', 'raw')).stdout,
        /\tdesk\tresearcher\tply\t1000\tday\t/,
      );
      const found = await asDesk('search', 'two.example.invalid', '--output', 'csv');
      assert.match(found.stdout, /^"type","match","name","c2","tags",/);
    });

    it('refuse another format, naming the four', async () => {
      const { code, stdout, stderr } = await asDesk('service', 'list', '--output', 'xml');
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /--output must be table, json, csv or raw/);
      assert.equal((await asDesk('service', 'list', '--output', 'csv', '--json')).code, 2);
      assert.equal((await asDesk('report', 'show', 'ply', 'x', '--output', 'csv')).code, 2);
    });

    it('print nothing to standard output if nothing was found', async () => {
      for (const words of [
        ['c2', 'show', '192.0.2.1', '--route'],
        ['search', 'nowhere'],
      ]) {
        const { code, stdout, stderr } = await asDesk(...words);
        assert.deepEqual([code, stdout], [0, '']);
        assert.match(stderr, /^(?:No service declares 192\.0\.2\.1|Nothing was found)\.\n$/);
      }
      const { stdout } = await asDesk('c2', 'show', '192.0.2.1', '--route', '--json');
      assert.partialDeepStrictEqual(JSON.parse(stdout), { service: null, feed: null });
    });

    it('refuse options of a single report with the lines of many', async () => {
      const refused = await asDesk('report', 'add', 'ply', '-', '--c2', 'evil.example:1');
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--c2 is for a single report/);
      assert.equal((await asDesk('report', 'add', '-')).code, 2);
      const absent = await asDesk('report', 'add', 'ply', 'other');
      assert.deepEqual([absent.code, absent.stdout], [1, '']);
      assert.match(absent.stderr, /there is no file other/);
      for (const words of [['--ndjson'], ['--format', 'misp'], ['x.json', '--format', 'docx']])
        assert.equal((await asDesk('report', 'add', 'ply', ...words)).code, 2);
    });

    it('list, issue and revoke the tokens of the caller', async () => {
      const issued = await asDesk('token', 'issue', '--label', 'laptop');
      assert.equal(issued.code, 0, issued.stderr);
      assert.match(issued.stdout, /^rap_\S+\n$/);
      const RAPSHEET_TOKEN = issued.stdout.trim();
      const settings = { ...desk, RAPSHEET_TOKEN };
      const listed = await installation.run(['token', 'list', '--ndjson'], { settings });
      const token = rows(listed.stdout)
        .map((text) => JSON.parse(text))
        .find(({ label }) => label === 'laptop');
      assert.ok(!listed.stdout.includes(RAPSHEET_TOKEN));
      assert.match((await asDesk('token', 'list')).stdout, /^ID +HINT +LABEL +CREATED/);
      const revoked = await asDesk('token', 'revoke', token.id, '--json');
      assert.notEqual(JSON.parse(revoked.stdout).revokedAt, null);
      assert.equal((await installation.run(['usage', 'show', '--balance'], { settings })).code, 4);
      const expired = await asDesk('token', 'issue', '--expires', 'soon');
      assert.equal(expired.code, 1);
      assert.match(expired.stderr, /--expires must be/);
    });

    it('show one service, to its owners with mail and ownership', async () => {
      const owned = await asDesk('service', 'show', 'ply');
      assert.equal(owned.code, 0, owned.stderr);
      assert.match(owned.stdout, /^confidence +0 to 100$/m);
      assert.match(owned.stdout, /^hosts +\*\.ply\.example$/m);
      assert.match(owned.stdout, /^mail +none$/m);
      assert.match(owned.stdout, /^\*\.ply\.example +declared/m);
      const { token } = await installation.json('account', 'add', 'reader');
      const settings = { ...desk, RAPSHEET_TOKEN: token };
      const read = await installation.run(['service', 'show', 'ply', '--json'], { settings });
      assert.deepEqual(Object.keys(JSON.parse(read.stdout)), ['service']);
      const absent = await asDesk('service', 'show', 'other');
      assert.equal(absent.code, 3);
      assert.match(absent.stderr, /there is no service other/);
    });

    it('show one account', async () => {
      const { stdout, code } = await asDesk('account', 'show', 'desk');
      assert.equal(code, 0);
      assert.match(stdout, /^owns the feeds +ply$/m);
      assert.match(stdout, /^quota +1000 a day$/m);
      const { account } = JSON.parse((await asDesk('account', 'show', 'desk', '--json')).stdout);
      assert.deepEqual([account.name, account.roles], ['desk', ['researcher']]);
      assert.equal((await asDesk('account', 'show', 'nobody')).code, 3);
    });
  });
});

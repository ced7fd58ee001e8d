import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { TestInstallation } from '../installation.ts';
import { line, owner, type Settings } from './feed-setup.ts';

describe('the commands that print lists', () => {
  const installation = new TestInstallation();
  let desk: Settings;
  const run = (...words: string[]) => installation.run(words, { settings: desk });
  const rows = (text: string) => text.trimEnd().split('\n');

  before(async () => {
    const url = await installation.serve();
    desk = await owner(installation, url, 'desk', 'ply');
    await installation.json('service', 'set', 'ply', '--host', '*.ply.example', '--name', '=PLY');
    const input = line('one') + line('two', { tags: ['a|b', 'c'] });
    const reported = await installation.run(['report', 'ply', '-'], { settings: desk, input });
    assert.equal(reported.code, 0, reported.stderr);
    assert.equal(reported.stdout, '2 created, 0 created before, 0 refused\n');
  });
  after(() => installation.close());

  it('print CSV with a header, and raw values without', async () => {
    const csv = await run('feed', 'list', 'ply', '--output', 'csv');
    assert.equal(csv.code, 0, csv.stderr);
    const [header = '', first = ''] = csv.stdout.split('\r\n');
    assert.match(header, /^"reported_at","id","service","status","status_reason",/);
    assert.match(first, /,"ply","open","",.*,"two\.example\.invalid:4444",.*,"a\\\|b\|c","desk",/);
    const raw = rows((await run('feed', 'list', 'ply', '--output', 'raw')).stdout);
    assert.deepEqual(
      raw.map((text) => text.split('\t')[9]),
      ['two.example.invalid:4444', 'one.example.invalid:4444'],
    );
    const changes = await run('feed', 'changes', 'ply', '--output', 'raw');
    assert.match(changes.stdout, /^ply\t1\tcreated\t/);
    const desks = await run('desk', 'list', 'ply', '--all', '--limit', '1', '--output', 'csv');
    assert.equal(desks.stdout.match(/"reported_at"/g)?.length, 1, 'one header for all pages');
    assert.equal(desks.stdout.split('\r\n').length, 4);
  });

  it('print no formula', async () => {
    for (const words of [['services'], ['service', 'list']]) {
      const { stdout } = await run(...words, '--output', 'csv');
      assert.match(stdout, /^"slug","name","scale",.*\r\n"ply","'=PLY","100","\*\.ply\.example"/);
      const json = await run(...words, '--output', 'json');
      assert.equal(JSON.parse(json.stdout).services[0].name, '=PLY');
    }
  });

  it('print statistics, charges and the audit log', async () => {
    await run('lookup', sha256Of('unknown'));
    const usage = await run('usage', '--output', 'raw');
    assert.match(usage.stdout, /^\d{4}-\d\d-\d\d\t1\tlookup\t/);
    const days = await run('statistics', 'ply', '--days', '7', '--output', 'raw');
    assert.equal(rows(days.stdout).length, 7);
    const known = await run('c2', 'one.example.invalid', '--output', 'raw');
    assert.match(known.stdout, /\tply\topen\tone\.example\.invalid:4444\t/);
    const audit = await run('audit', 'list', '--limit', '1', '--output', 'csv');
    assert.match(audit.stdout, /^"id","at","actor","action","subject","detail"\r\n"\d+",/);
    assert.match(
      (await run('account', 'list', '--output', 'raw')).stdout,
      /\tdesk\tresearcher\tply\t1000\tday\t/,
    );
    const found = await run('search', 'two.example.invalid', '--output', 'csv');
    assert.match(found.stdout, /^"type","match","name","c2","tags",/);
  });

  it('refuse another format, naming the four', async () => {
    const { code, stdout, stderr } = await run('services', '--output', 'xml');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /--output must be table, json, csv or raw/);
    assert.equal((await run('services', '--output', 'csv', '--json')).code, 2);
    assert.equal((await run('fetch', 'ply', 'x', '--output', 'csv')).code, 2);
  });

  it('print nothing to standard output if nothing was found', async () => {
    for (const words of [
      ['route', 'nobody.example'],
      ['search', 'nowhere'],
    ]) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [0, '']);
      assert.match(stderr, /^(?:No service declares nobody\.example|Nothing was found)\.\n$/);
    }
    const { stdout } = await run('route', 'nobody.example', '--json');
    assert.equal(JSON.parse(stdout).service, null);
  });

  it('refuse options of a single report with the lines of many', async () => {
    const refused = await run('report', 'ply', '-', '--c2', 'evil.example:1');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--c2 is for a single report/);
    assert.equal((await run('report', '-')).code, 2);
    assert.equal((await run('report', 'ply', 'other')).code, 2);
  });

  it('list, issue and revoke the tokens of the caller', async () => {
    const issued = await run('my-token', 'issue', '--label', 'laptop');
    assert.equal(issued.code, 0, issued.stderr);
    assert.match(issued.stdout, /^rap_\S+\n$/);
    const RAPSHEET_TOKEN = issued.stdout.trim();
    const settings = { ...desk, RAPSHEET_TOKEN };
    const listed = await installation.run(['my-token', 'list', '--ndjson'], { settings });
    const token = rows(listed.stdout)
      .map((text) => JSON.parse(text))
      .find(({ label }) => label === 'laptop');
    assert.ok(!listed.stdout.includes(RAPSHEET_TOKEN));
    assert.match((await run('my-token', 'list')).stdout, /^ID +HINT +LABEL +CREATED/);
    const revoked = await run('my-token', 'revoke', token.id, '--json');
    assert.notEqual(JSON.parse(revoked.stdout).revokedAt, null);
    assert.equal((await installation.run(['balance'], { settings })).code, 4);
    const expired = await run('my-token', 'issue', '--expires', 'soon');
    assert.equal(expired.code, 1);
    assert.match(expired.stderr, /expiresAt must be/);
  });

  it('show one service, to its owners with mail and ownership', async () => {
    const owned = await run('service', 'show', 'ply');
    assert.equal(owned.code, 0, owned.stderr);
    assert.match(owned.stdout, /^confidence +0 to 100$/m);
    assert.match(owned.stdout, /^hosts +\*\.ply\.example$/m);
    assert.match(owned.stdout, /^mail +none$/m);
    assert.match(owned.stdout, /^\*\.ply\.example +declared/m);
    const { token } = await installation.json('account', 'add', 'reader');
    const settings = { ...desk, RAPSHEET_TOKEN: token };
    const read = await installation.run(['service', 'show', 'ply', '--json'], { settings });
    assert.deepEqual(Object.keys(JSON.parse(read.stdout)), ['service']);
    const absent = await run('service', 'show', 'other');
    assert.equal(absent.code, 3);
    assert.match(absent.stderr, /there is no service other/);
  });

  it('show one account', async () => {
    const { stdout, code } = await run('account', 'show', 'desk');
    assert.equal(code, 0);
    assert.match(stdout, /^owns the feeds +ply$/m);
    assert.match(stdout, /^quota +1000 a day$/m);
    const { account } = JSON.parse((await run('account', 'show', 'desk', '--json')).stdout);
    assert.deepEqual([account.name, account.roles], ['desk', ['researcher']]);
    assert.equal((await run('account', 'show', 'nobody')).code, 3);
  });
});

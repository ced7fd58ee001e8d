import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { groups } from '../../src/cli/commands/index.ts';
import { describeOldName, oldNames } from '../../src/cli/commands/old-names.ts';
import { allCommands } from '../../src/cli/help/find.ts';
import { formatToken, TOKEN_RANDOM_BYTES } from '../../src/domain/accounts/token.ts';
import { sha256Of } from '../builders.ts';
import { TestInstallation } from '../installation.ts';

const ID = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';
const HASH = sha256Of('known');
const C2 = 'evil.example:4444';

/** A command line with each old name, the same with the new one, and the exit code of both. */
const LINES: readonly (readonly [old: string, current: string, code?: number])[] = [
  [`report ply --c2 ${C2} --hash ${HASH}`, `report add ply --c2 ${C2} --hash ${HASH}`],
  ['report ply - --key k', 'report add ply - --key k'],
  ['feed bulk ply reports.ndjson --key k', 'report add ply reports.ndjson --key k'],
  ['feed submit ply misp event.json', 'report add ply event.json --format misp'],
  ['feed list all --tag a', 'report list all --tag a'],
  ['desk list ply', 'report list ply --status open --order asc'],
  ['desk list ply --status expired', 'report list ply --status expired --order asc'],
  [`fetch ply ${ID}`, `report show ply ${ID} --as-reported`],
  [`desk show ply ${ID}`, `report show ply ${ID}`],
  [`desk history ply ${ID} --output csv`, `report show ply ${ID} --history --output csv`],
  [`desk set ply ${ID} --status open`, `report set ply ${ID} --status open`],
  [`delete ply ${ID}`, `report remove ply ${ID}`],
  ['delete ply', 'report remove ply', 2],
  [`purge report ${ID} --reason law`, `report remove --store ${ID} --reason law`],
  ['proposals --state all', 'proposal list --state all'],
  [`details ${HASH}`, `lookup ${HASH} --details`],
  ['upload event.json --no-wait', 'sample add event.json --no-wait'],
  [`status ${HASH}`, `sample status ${HASH}`],
  [`similar ${HASH} --by tlsh`, `sample similar ${HASH} --by tlsh`],
  [`download ${HASH}`, `sample download ${HASH}`],
  [`purge sample ${HASH} --reason law`, `sample remove ${HASH} --reason law`],
  [`c2 ${C2}`, `c2 show ${C2}`],
  [`route ${C2}`, `c2 show ${C2} --route`],
  ['statistics ply --days 7', 'statistics show ply --days 7'],
  ['stats service ply --days 7', 'statistics show ply --scorecard --days 7'],
  ['stats reporter alice', 'statistics show --reporter alice'],
  ['usage --day 2026-08-01', 'usage show --day 2026-08-01'],
  ['balance --json', 'usage show --balance --json'],
  ['account usage alice', 'usage show alice --store', 0],
  ['services', 'service list'],
  ['service overlaps', 'service list --overlaps --store', 0],
  ['mail show ply', 'service show ply --mail'],
  ['ownership show ply', 'service show ply --ownership'],
  ['ownership check ply a.example --method dns', 'service check ply a.example --method dns'],
  [`webhook enable ply ${ID}`, `webhook set ply ${ID} --enable`],
  [`webhook deliveries ply ${ID} --state dead`, `delivery list ply ${ID} --state dead`],
  [`webhook replay ply ${ID} ${ID}`, `delivery replay ply ${ID} ${ID}`],
  [`webhook test ply ${ID}`, `delivery test ply ${ID}`],
  ['mail deliveries ply', 'delivery list ply mail'],
  [`mail replay ply ${ID} ${ID}`, `delivery replay ply mail ${ID} ${ID}`],
  ['mail test ply', 'delivery test ply mail'],
  ['mail test', 'delivery test', 2],
  ['account end-sessions alice --issued', 'session end alice --issued --store', 0],
  ['my-session end --issued', 'session end --issued'],
  ['my-token list', 'token list'],
  ['my-token issue --label laptop', 'token issue --label laptop'],
  [`my-token revoke ${ID} --issued`, `token revoke ${ID} --issued`],
];

describe('the old names of commands', () => {
  const installation = new TestInstallation();
  const token = formatToken(Buffer.alloc(TOKEN_RANDOM_BYTES, 7));
  let server: Server;
  let settings: Record<string, string>;
  let requests: string[] = [];

  before(async () => {
    installation.file('reports.ndjson', '{}\n');
    installation.file('event.json', '{}');
    await installation.json('account', 'add', 'alice');
    server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      request.resume();
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'There is none.', successful: false }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    settings = { RAPSHEET_URL: `http://127.0.0.1:${port}`, RAPSHEET_TOKEN: token };
  });
  after(async () => {
    server.close();
    await installation.close();
  });

  const run = async (commandLine: string) => {
    requests = [];
    const outcome = await installation.run(commandLine.split(' '), { settings, input: '{}\n' });
    return { ...outcome, requests };
  };

  it('are all tested here, and lead to commands that exist', () => {
    const names = allCommands(groups).map(({ name }) => name);
    for (const { name, command } of oldNames) {
      assert.ok(
        LINES.some(([old]) => old.startsWith(`${name} `) || old === name),
        name,
      );
      assert.ok(names.includes(command), command);
      assert.ok(!names.includes(name), name);
    }
  });

  for (const [old, current, code = 3] of LINES)
    it(`${old} does what ${current} does, and names it`, async () => {
      const { name, command } = oldNames
        .filter((one) => `${old} `.startsWith(`${one.name} `))
        .reduce((one, other) => (one.name.length > other.name.length ? one : other));
      assert.ok(`${current} `.startsWith(`${command} `));
      const [before, now] = [await run(old), await run(current)];
      const [notice = '', ...rest] = before.stderr.split('\n');
      assert.ok(notice.startsWith(`\`rapsheet ${name}\` is now \`rapsheet ${command}`), notice);
      assert.ok(notice.endsWith('`; the old name works until 0.2.0.'), notice);
      assert.ok(now.stderr.endsWith(rest.join('\n')), now.stderr);
      assert.deepEqual([before.code, before.requests], [code, now.requests]);
      assert.deepEqual([now.code, now.stdout], [code, before.stdout]);
      const usesStore = code !== 3 || /--store|^sample remove/.test(current);
      assert.equal(now.requests.length === 0, usesStore);
    });

  it('are all in the list of deprecations', () => {
    const text = readFileSync(new URL('../../DEPRECATIONS.md', import.meta.url), 'utf8');
    for (const old of oldNames) {
      const [, now] = /is now (`[^`]+`)/.exec(describeOldName(old)) ?? [];
      assert.ok(text.includes(`| \`rapsheet ${old.name}\` | ${now} |\n`), old.name);
    }
  });

  it('refuse what they refused', async () => {
    for (const words of ['feed submit ply docx event.json', 'stats reporter', 'feed submit ply'])
      assert.equal((await run(words)).code, 2, words);
  });

  it('are for your own account never about the store', async () => {
    for (const words of [['usage'], ['my-token', 'list'], ['my-token', 'revoke', ID], ['services']])
      assert.equal((await installation.run(words)).code, 4, words.join(' '));
  });

  it('are not in the help, which shows the command that has replaced one', async () => {
    const { stdout } = await run('help');
    for (const { name } of oldNames) assert.doesNotMatch(stdout, new RegExp(`^  ${name}  `, 'm'));
    for (const words of ['help desk list', 'desk list --help']) {
      const help = await run(words);
      assert.equal(help.stdout, (await run('help report list')).stdout);
      assert.match(help.stderr, /^`rapsheet desk list` is now `rapsheet report list --status open/);
    }
    const group = await run('report --help');
    assert.deepEqual([group.code, group.stderr], [0, '']);
    assert.match(group.stdout, /^ {2}report remove /m);
    const unknown = await run('desk');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^Did you mean: rapsheet report list, rapsheet report show/m);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { EXIT } from '../../../src/cli/command.ts';
import { groups } from '../../../src/cli/commands/index.ts';
import { oldNames } from '../../../src/cli/commands/old-names.ts';
import { allCommands } from '../../../src/cli/help/find.ts';
import { runCommandLine } from '../../../src/cli/main.ts';
import { connectionOptions } from '../../../src/cli/options/connection-options.ts';
import { formatToken, TOKEN_RANDOM_BYTES } from '../../../src/domain/accounts/token.ts';
import { wordsOf } from './shell-words.ts';

const entries = allCommands(groups);
const commands = await Promise.all(entries.map(({ load }) => load()));

/** These commands call a server. `login` waits for a token on standard input first. */
const calling = commands.filter(
  ({ name, options = {} }) =>
    name !== 'login' &&
    Object.keys(connectionOptions).every((option) => Object.hasOwn(options, option)),
);

/** The files that examples name. */
const FILES = {
  'suspicious.exe': 'MZ',
  'reports.ndjson': '{"c2Address":"tunnel.ply.example:4444"}\n',
  'event.json': '{}',
  token: formatToken(Buffer.alloc(TOKEN_RANDOM_BYTES, 7)),
};

describe('the exit code of each command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-exit-'));
  const started = { env: process.env, folder: process.cwd() };
  let server: Server;
  let status = 500;

  before(async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'Refused.', successful: false }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.chdir(folder);
    process.env = { RAPSHEET_DATA_DIR: join(folder, 'data'), XDG_CONFIG_HOME: folder };
    mock.method(process.stderr, 'write', () => true);
  });
  after(() => {
    mock.restoreAll();
    process.env = started.env;
    process.chdir(started.folder);
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('is 2 for invalid usage', async () => {
    for (const { name, positionals: [min, max] = [0, 0] } of commands) {
      const code = (...words: readonly string[]) => runCommandLine([...name.split(' '), ...words]);
      assert.equal(await code('--no-such-option'), EXIT.usage, `${name} with an unknown option`);
      assert.equal(await code('--json=yes'), EXIT.usage, `${name} with a value of a switch`);
      if (min > 0) assert.equal(await code(), EXIT.usage, `${name} without arguments`);
      if (max === Number.POSITIVE_INFINITY) continue;
      const many = Array.from({ length: max + 1 }, () => 'x');
      assert.equal(await code(...many), EXIT.usage, `${name} with too many arguments`);
    }
  });

  it('is 2 for an empty argument and for an empty value of an option', async () => {
    for (const { name, options = {}, positionals: [min, max] = [0, 0] } of commands) {
      const code = (...words: readonly string[]) => runCommandLine([...name.split(' '), ...words]);
      for (let index = 0; index < Math.min(max, min + 1); index += 1) {
        const words = Array.from({ length: Math.max(min, index + 1) }, (_, at) =>
          at === index ? '' : 'x',
        );
        assert.equal(await code(...words), EXIT.usage, `${name} ${JSON.stringify(words)}`);
      }
      for (const [option, { type }] of Object.entries(options))
        if (type === 'string')
          assert.equal(await code(`--${option}=`), EXIT.usage, `${name} --${option}=`);
    }
    for (const { name } of oldNames)
      assert.equal(await runCommandLine([...name.split(' '), '']), EXIT.usage, name);
  });

  it('names the argument that is empty', async () => {
    const written: string[] = [];
    const write = mock.method(process.stderr, 'write', (text: string) => {
      written.push(text);
      return true;
    });
    await runCommandLine(['report', 'show', 'ply', '']);
    await runCommandLine(['statistics', 'show', '--reporter', ' ']);
    write.mock.restore();
    mock.method(process.stderr, 'write', () => true);
    assert.match(written[0] ?? '', /<id> \(the id of the report\) is empty/);
    assert.match(written[1] ?? '', /--reporter is empty: --reporter <name>/);
  });

  /** The first examples, at the same time, because some commands retry. */
  const exitCodes = async (url: string) =>
    Object.fromEntries(
      await Promise.all(
        calling.map(async ({ name, examples }) => {
          const words = wordsOf(examples[0]?.command ?? '');
          return [
            name,
            await runCommandLine([...words, '--url', url, '--token-file', 'token']),
          ] as const;
        }),
      ),
    );
  const expected = (code: number) => Object.fromEntries(calling.map(({ name }) => [name, code]));

  it('is 6 if the server gives no answer', async () => {
    assert.ok(calling.length > 30);
    assert.deepEqual(await exitCodes('http://127.0.0.1:1'), expected(EXIT.unreachable));
  });

  for (const [answer, code] of [
    [400, EXIT.failed],
    [401, EXIT.denied],
    [403, EXIT.denied],
    [404, EXIT.absent],
    [429, EXIT.exhausted],
  ] as const)
    it(`is ${code} if the server answers ${answer}`, async () => {
      status = answer;
      const { port } = server.address() as AddressInfo;
      assert.deepEqual(await exitCodes(`http://127.0.0.1:${port}`), expected(code));
    });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { groups } from '../../../src/cli/commands/index.ts';
import { allCommands } from '../../../src/cli/help/find.ts';
import { OTHER_WORDS } from '../../../src/cli/help/other-words.ts';
import { TestInstallation } from '../../installation.ts';

describe('help', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  const shown = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await installation.run(words);
    assert.deepEqual([code, stderr], [0, ''], words.join(' '));
    return stdout;
  };

  const refused = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await installation.run(words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    const lines = stderr.trimEnd().split('\n');
    assert.ok(lines.length <= 3, stderr);
    return lines;
  };

  it('shows how a command is used', async () => {
    const help = await shown('help', 'feed', 'follow');
    assert.equal(help, await shown('feed', 'follow', '--help'));
    const headings = help.split('\n').filter((line) => /^[A-Z]\w+$/.test(line));
    assert.deepEqual(headings, [
      ...['Usage', 'Arguments', 'Options', 'Connection', 'General', 'Examples'],
    ]);
    assert.match(help, /^ {2}rapsheet feed follow <service>\|all \[--state <file>\]/m);
    assert.match(help, /^ {2}--from start\|now +Where to start without a stored position; now by/m);
    assert.match(help, /^ {2}-h, --help +Show this help$/m);
    assert.match(help, /^ {4}rapsheet feed follow ply$/m);
  });

  it('is the same wherever --help stands, and whatever is wrong otherwise', async () => {
    const help = await shown('help', 'lookup');
    for (const words of [['--help'], ['--wrong', '-h'], ['--json', '--help', 'a', '--url']])
      assert.equal(await shown('lookup', ...words), help);
    assert.equal(await shown('--help', 'lookup'), help);
    assert.equal((await installation.run(['audit', 'list', '--', '--help'])).code, 2);
  });

  it('lists fifteen commands of every day, and all with --all', async () => {
    const few = await shown('help');
    for (const words of [[], ['--help'], ['-h']]) assert.equal(await shown(...words), few);
    const names = allCommands(groups).map(({ name }) => name);
    const listed = (text: string) =>
      names.filter((name) => new RegExp(`^  ${name} `, 'm').test(text));
    assert.equal(listed(few).length, 15);
    assert.match(few, new RegExp(`--all lists ${names.length - 15} more commands`));
    assert.deepEqual(listed(await shown('help', '--all')), names);
    assert.equal((await installation.run(['help', 'lookup', '--all'])).code, 2);
  });

  it('lists the commands, all of them or those of a group', async () => {
    const all = await shown('help', '--all');
    for (const { name } of allCommands(groups)) assert.match(all, new RegExp(`^  ${name} `, 'm'));
    const group = await shown('help', 'token');
    assert.equal(await shown('token', '--help'), group);
    assert.match(group, /^ {2}token revoke {2,}Revoke a token, by its id; /m);
    assert.doesNotMatch(group, /feed list/);
    const { code, stdout, stderr } = await installation.run(['token']);
    assert.deepEqual([code, stdout, stderr], [2, '', group]);
  });

  it('fits into 80 columns', async () => {
    for (const words of [
      [],
      ['--all'],
      ...allCommands(groups).map(({ name }) => name.split(' ')),
    ]) {
      const lines = (await shown('help', ...words)).split('\n');
      assert.deepEqual(
        lines.filter((line) => line.length > 80),
        [],
      );
      assert.deepEqual(
        lines.filter((line) => / $/.test(line)),
        [],
      );
    }
  });

  it('is data with --json', async () => {
    const [{ name, usage }] = JSON.parse(await shown('help', 'report', 'add', '--json'));
    assert.equal(name, 'report add');
    assert.match(usage, /^<service> --c2 </);
  });

  it('suggests the command that was meant', async () => {
    assert.deepEqual(await refused('lokup', 'abc'), [
      'rapsheet: there is no command "lokup"',
      'Did you mean: rapsheet lookup?',
      'rapsheet help --all lists the commands',
    ]);
    assert.deepEqual(await refused('token', 'lst', '--json'), [
      'rapsheet: there is no command "token lst"',
      'Did you mean: rapsheet token list?',
      'rapsheet help token lists its commands',
    ]);
    const second = async (...words: readonly string[]) => (await refused(...words))[1];
    assert.equal(await second('webhok', 'list'), 'Did you mean: rapsheet webhook list?');
    assert.match((await second('revoke')) ?? '', /^Did you mean: .*rapsheet token revoke\?$/);
    assert.equal((await second('list'))?.split(', ').length, 3);
    assert.equal(await second('help', 'fed'), 'Did you mean: rapsheet feed?');
    assert.equal(await second('lokup', '--help'), 'Did you mean: rapsheet lookup?');
    assert.equal(await second('quota'), 'Did you mean: rapsheet usage show, rapsheet account set?');
    assert.equal(await second('hashes'), 'Did you mean: rapsheet lookup?');
    assert.equal(await second('Units'), 'Did you mean: rapsheet usage show?');
    assert.deepEqual(await refused('entirely-else'), [
      'rapsheet: there is no command "entirely-else"',
      'rapsheet help --all lists the commands',
    ]);
    assert.deepEqual(await refused('--json', 'lookup'), [
      'rapsheet: the command comes before its options: found --json',
      'rapsheet help --all lists the commands',
    ]);
  });

  it('suggests only commands that exist for the words of others', () => {
    const names = allCommands(groups).map(({ name }) => name);
    for (const meant of Object.values(OTHER_WORDS).flat()) assert.ok(names.includes(meant), meant);
  });

  it('says which values an option has, and suggests one', async () => {
    assert.deepEqual(await refused('report', 'list', 'ply', '--status', 'actoned'), [
      'rapsheet report list: --status must be open, acknowledged, actioned, rejected or expired',
      'Did you mean: --status actioned?',
      'rapsheet help report list shows its arguments and options',
    ]);
    assert.deepEqual(await refused('report', 'list', 'ply', '--since', 'yesterday'), [
      'rapsheet report list: --since must be a day (2026-08-01) or a time (2026-08-01T12:00:00Z)',
    ]);
    const [first] = await refused('proposal', 'list', '--state=closed');
    assert.equal(first, 'rapsheet proposal list: --state must be open, reported, dismissed or all');
  });

  it('suggests the option that was meant, and says what is missing', async () => {
    assert.deepEqual(await refused('report', 'add', 'ply', '--hsh', 'x'), [
      'rapsheet report add: there is no option --hsh',
      'Did you mean: --hash?',
      'rapsheet help report add shows its arguments and options',
    ]);
    const first = async (...words: readonly string[]) => (await refused(...words))[0];
    assert.equal(
      await first('report', 'show', 'ply'),
      'rapsheet report show: <id> (the id of the report) is missing',
    );
    assert.equal(
      await first('report', 'show', 'ply', 'x', 'y'),
      'rapsheet report show: there is one argument too many: "y"',
    );
    assert.equal(
      await first('audit', 'list', 'x'),
      'rapsheet audit list: there are no arguments: found "x"',
    );
    assert.equal(
      await first('report', 'add', 'ply', '--c2'),
      'rapsheet report add: --c2 needs a value: --c2 <host:port>',
    );
    assert.equal(
      await first('report', 'add', 'ply', '--c2', '--hash', 'x'),
      'rapsheet report add: --c2 needs a value: --c2 <host:port>',
    );
    assert.equal(
      await first('lookup', 'x', '--\u001b[31m'),
      'rapsheet lookup: there is no option --?[31m',
    );
    assert.equal(
      await first('lookup', 'x', '--json=yes'),
      'rapsheet lookup: --json takes no value',
    );
  });
});

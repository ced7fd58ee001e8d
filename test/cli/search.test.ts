import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sha256Of, wireAnalysis } from '../builders.ts';
import { TestInstallation } from '../installation.ts';

const KNOWN = sha256Of('known');

describe('rapsheet search', () => {
  const installation = new TestInstallation();
  let settings: Record<string, string>;
  const run = (...words: string[]) => installation.run(words, { settings });

  before(async () => {
    const url = await installation.serve();
    await installation.json('service', 'add', 'ply');
    const lines = installation.file('samples.ndjson', `${JSON.stringify(wireAnalysis('known'))}\n`);
    await installation.json('sample', 'import', lines);
    const added = await installation.json(
      'account',
      'add',
      'alice',
      '--researcher',
      '--quota',
      '1',
    );
    settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: added.token };
    await run('report', 'add', 'ply', '--c2', 'evil.example:4444', '--hash', KNOWN);
  });
  after(() => installation.close());

  it('shows reports and samples as a table, and takes no quota', async () => {
    const { code, stdout, stderr } = await run('search', KNOWN);
    assert.equal(code, 0, stderr);
    const [heads = '', sample = '', report = ''] = stdout.split('\n');
    assert.match(heads, /^TYPE +FITS +NAME +C2 OR TAGS +SERVICE +STATUS +REPORTED +ID OR SHA-256$/);
    assert.match(sample, new RegExp(`^sample +sha256 +known\\.exe +LANTERN, RAT +.* ${KNOWN}$`));
    assert.match(report, /^report +sha256 +LANTERN +evil\.example:4444 +ply +open +/);
    assert.equal(
      JSON.parse((await run('usage', 'show', '--balance', '--json')).stdout).requests_left,
      1,
    );
  });

  it('prints the response of the server with --json, up to the limit', async () => {
    const { stdout } = await run('search', 'lantern', '--limit', '1', '--json');
    const { results, successful } = JSON.parse(stdout);
    assert.equal(successful, true);
    assert.deepEqual(
      results.map(({ match }: { match: string }) => match),
      ['name'],
    );
  });

  it('joins several words into one text, and prints a message if nothing matches', async () => {
    const { code, stdout, stderr } = await run('search', 'known', 'lantern', 'nowhere');
    assert.deepEqual([code, stdout.trim()], [0, '']);
    assert.match(stderr, /Nothing was found/);
    assert.match((await run('search', 'rat', 'known')).stdout, /^sample +text/m);
  });

  it('says that there may be more', async () => {
    const { stderr } = await run('search', KNOWN, '--limit', '1');
    assert.match(stderr, /There may be more; --limit 100 shows the most/);
  });

  it('searches for each line of standard input', async () => {
    const text = `# indicators\nhxxp://evil[.]example:4444/a\n\n${KNOWN.slice(0, 12)}\nnowhere.example\ntwo words\n`;
    const { code, stdout, stderr } = await installation.run(['search', '-', '--output', 'csv'], {
      settings,
      input: text,
    });
    assert.equal(code, 0, stderr);
    const [heads = '', ...lines] = stdout.trim().split('\r\n');
    assert.match(heads, /^"query","type","match",.*,"note"$/);
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 3).join()),
      [
        '"hxxp://evil[.]example:4444/a","report","c2"',
        `"${KNOWN.slice(0, 12)}","report","prefix"`,
        `"${KNOWN.slice(0, 12)}","sample","prefix"`,
        '"nowhere.example","",""',
        '"two words","",""',
      ],
    );
    assert.match(lines[3] ?? '', /"Nothing was found\."$/);
    assert.match(lines[4] ?? '', /"It must be a hash, .*"$/);
  });

  it('needs lines on standard input, and no other text beside it', async () => {
    const empty = await installation.run(['search', '-'], { settings, input: '# none\n' });
    assert.deepEqual([empty.code, /has no lines/.test(empty.stderr)], [2, true]);
    assert.equal((await run('search', '-', 'a')).code, 2);
  });

  it('rejects a limit that is no number or too large', async () => {
    assert.equal((await run('search', 'a', '--limit', 'x')).code, 2);
    const { code, stderr } = await run('search', 'a', '--limit', '101');
    assert.equal(code, 1);
    assert.match(stderr, /^rapsheet search: --limit must be an integer from 1 to 100\./);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { wireAnalysis } from '../builders.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';

const MIB = 1024 * 1024;

function lines(...values: readonly unknown[]): string {
  return values
    .map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('');
}

describe('sample import', () => {
  let installation: TestInstallation;
  before(() => {
    installation = new TestInstallation();
  });
  after(() => installation.close());

  it('counts new, changed and unchanged samples', async () => {
    const file = installation.file('a.ndjson', lines(wireAnalysis('a1'), wireAnalysis('a2')));
    const first = await installation.run(['sample', 'import', file]);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.stdout, '2 added, 0 replaced, 0 unchanged, 0 refused\n');
    const again = installation.file(
      'a.ndjson',
      lines(wireAnalysis('a1', { tags: [] }), wireAnalysis('a2')),
    );
    assert.deepEqual(await installation.json('sample', 'import', again), {
      added: 0,
      replaced: 1,
      unchanged: 1,
      refused: 0,
      refusals: [],
      nextLine: null,
    });
  });

  it('reports the number and the problem of each rejected line, and imports the others', async () => {
    const { sha256Hash: _, ...cut } = wireAnalysis('b4');
    const file = installation.file(
      'b.ndjson',
      lines(
        wireAnalysis('b1'),
        '',
        'not JSON',
        { ...cut, colour: 'red' },
        wireAnalysis('b5', { blake3Hash: wireAnalysis('b1').blake3Hash }),
        wireAnalysis('b6', { fileName: 'x'.repeat(MIB) }),
        wireAnalysis('b7'),
      ),
    );
    const { code, stdout, stderr } = await installation.run(['sample', 'import', file]);
    assert.equal(code, 1);
    assert.equal(stdout, '2 added, 0 replaced, 0 unchanged, 4 refused\n');
    assert.match(stderr, /^line 3: the line is not valid JSON in UTF-8\.$/m);
    assert.match(stderr, /^line 4: .*sha256Hash is missing; it must be 64 hexadecimal digits\./m);
    assert.match(stderr, /^line 4: .*"colour" is not known here/m);
    assert.match(stderr, /^line 5: another file already has one of these values .*\.$/m);
    assert.match(stderr, /^line 6: a line must be at most 1048576 bytes long\.$/m);
    assert.doesNotMatch(stderr, /^line [127]:/m);
  });

  it('names the first hundred rejected lines and counts the others', async () => {
    const { code, stdout, stderr } = await installation.run(['sample', 'import', '-', '--json'], {
      input: 'x\n'.repeat(250),
    });
    assert.equal(code, 1);
    assert.equal(stderr.match(/^line \d+:/gm)?.length, 100);
    assert.match(stderr, /… and 150 more refused lines/);
    const { refused, refusals } = JSON.parse(stdout);
    assert.equal(refused, 250);
    assert.equal(refusals.length, 100);
  });

  it('reads standard input from a given line on', async () => {
    const { code, stdout } = await installation.run(['sample', 'import', '-', '--from-line', '3'], {
      input: lines('passed over', '', wireAnalysis('c3'), wireAnalysis('c4')),
    });
    assert.equal(code, 0);
    assert.equal(stdout, '2 added, 0 replaced, 0 unchanged, 0 refused\n');
  });

  it('stops at a signal and can be resumed without losing or repeating a line', async () => {
    const samples = Array.from({ length: 1200 }, (_, number) => wireAnalysis(`d${number}`));
    const all = lines('refused', ...samples);
    const child = installation.start(['sample', 'import', '-', '--json']);
    const output = text(child.stdout);
    const stopping = waitForOutput(child, /continue with --from-line (\d+)/);
    const closed = once(child, 'close');
    // The input stays open, so only the signal can end the program.
    child.stdin.write(all);
    await waitForOutput(child, /line 1:/);
    child.kill('SIGINT');
    const [, nextLine = ''] = await stopping;
    assert.deepEqual(await closed, [1, null]);
    const stopped = JSON.parse(await output);
    assert.equal(String(stopped.nextLine), nextLine);
    assert.equal(stopped.added + stopped.refused, stopped.nextLine - 1);

    const file = installation.file('d.ndjson', all);
    const rest = await installation.json('sample', 'import', file, '--from-line', nextLine);
    assert.equal(stopped.added + rest.added, samples.length);
    assert.equal(rest.unchanged, 0);
    const whole = await installation.run(['sample', 'import', file]);
    assert.equal(whole.stdout, '0 added, 0 replaced, 1200 unchanged, 1 refused\n');
  });

  it('does not import a purged sample again', async () => {
    const sample = wireAnalysis('e1');
    const file = installation.file('e.ndjson', lines(sample));
    await installation.json('sample', 'import', file);
    const purge = ['sample', 'remove', sample.sha256Hash.toUpperCase(), '--reason', 'court order'];
    assert.equal((await installation.json(...purge)).successful, true);
    assert.equal((await installation.run(purge)).code, 3);
    assert.match((await installation.run(['sample', 'import', file])).stderr, /line 1: .*removed/);
    const { entries } = await installation.json('audit', 'list', '--limit', '2');
    assert.equal(entries[1].action, 'sample.purge');
    assert.deepEqual(entries[1].detail, { reason: 'court order' });
  });

  it('reports problems of the file and the options', async () => {
    const missing = await installation.run(['sample', 'import', 'nowhere.ndjson']);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /there is no file nowhere\.ndjson/);
    assert.match((await installation.run(['sample', 'import', '.'])).stderr, /\. is a folder/);
    const from = await installation.run(['sample', 'import', '-', '--from-line', '0']);
    assert.equal(from.code, 2);
    assert.match(from.stderr, /from-line must be the number of a line, from 1 on/);
    const reasonless = await installation.run(['sample', 'remove', wireAnalysis('e2').sha256Hash]);
    assert.equal(reasonless.code, 2);
    assert.match(reasonless.stderr, /reason is missing/);
  });
});

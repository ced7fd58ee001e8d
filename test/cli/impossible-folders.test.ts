import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';

const HAS_PROC = process.platform === 'linux';
/** Well above the start time on a slow machine. A regression would hang without it. */
const PATIENCE_MS = 60_000;

describe('an unusable data folder', () => {
  let installation: TestInstallation;
  before(() => {
    installation = new TestInstallation();
  });
  after(() => installation.close());

  const refused = async (words: readonly string[], settings: Readonly<Record<string, string>>) => {
    const child = installation.start(words, {
      RAPSHEET_PORT: '0',
      RAPSHEET_METRICS_PORT: '0',
      ...settings,
    });
    const overdue = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
    child.stdout.resume();
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(overdue);
    assert.equal(code, 1, output);
    assert.equal(output.trimEnd().split('\n').length, 1, output);
    return output;
  };

  for (const words of [['serve'], ['worker'], ['service', 'add', 'ply'], ['doctor', '--quick']])
    it(`ends ${words.join(' ')} with one line, even if no folder can be created at all`, {
      skip: !HAS_PROC && 'there is no /proc',
    }, async () => {
      const settings = { RAPSHEET_DATA_DIR: '/proc/rapsheet/data' };
      const output = await refused(words, settings);
      // This command creates no store, and looks for it first.
      if (words[0] === 'doctor') assert.match(output, /there is no store in/);
      else
        assert.match(output, /RAPSHEET_DATA_DIR: the folder \/proc\/rapsheet\/data cannot be used/);
    });

  it('is named together with its setting', async () => {
    const file = installation.file('notes.txt', 'notes');
    const loop = join(installation.folder, 'loop');
    symlinkSync(loop, loop);
    for (const [setting, value, folder] of [
      ['RAPSHEET_DATA_DIR', '/dev/null/x', '/dev/null/x'],
      ['RAPSHEET_DATA_DIR', loop, loop],
      ['RAPSHEET_DATABASE_URL', `sqlite:${file}/x/rapsheet.db`, `${file}/x`],
      ['RAPSHEET_SAMPLES_URL', `file:${file}`, file],
    ] as const)
      assert.match(
        await refused(['service', 'add', 'ply'], { [setting]: value }),
        new RegExp(`${setting}: the folder ${folder} cannot be used: E`),
      );
  });

  it('may be on a read-only mount', { skip: whyNotMounted() }, async () => {
    const folder = join(installation.folder, 'read-only');
    mkdirSync(folder);
    call('mount', '-t', 'tmpfs', '-o', 'ro,size=1m', 'rapsheet-test', folder);
    try {
      const output = await refused(['serve'], { RAPSHEET_DATA_DIR: folder });
      assert.match(output, /RAPSHEET_DATA_DIR: .* cannot be used: EROFS/);
    } finally {
      call('umount', '--lazy', folder);
    }
  });
});

function whyNotMounted(): string | false {
  return process.getuid?.() === 0 && HAS_PROC ? false : 'only root may mount';
}

function call(program: string, ...words: readonly string[]): void {
  execFileSync(program, [...words], { stdio: 'ignore' });
}

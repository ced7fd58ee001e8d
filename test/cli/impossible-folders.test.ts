import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onPostgres } from '../database.ts';
import { TestInstallation } from '../installation.ts';

const HAS_PROC = process.platform === 'linux';
/** Well above the start of the program on a slow machine. Without the fix it never ends. */
const PATIENCE_MS = 60_000;

describe('a data folder that cannot be', () => {
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
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    child.stdout.resume();
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(overdue);
    assert.equal(code, 1, said);
    assert.equal(said.trimEnd().split('\n').length, 1, said);
    return said;
  };

  for (const words of [['serve'], ['worker'], ['service', 'list'], ['doctor', '--quick']])
    it(`ends ${words.join(' ')} with one line, also where no folder can be made at all`, {
      skip: !HAS_PROC && 'there is no /proc',
    }, async () => {
      const settings = { RAPSHEET_DATA_DIR: '/proc/rapsheet/data' };
      const said = await refused(words, settings);
      // It makes no store, and looks for the file of one first.
      if (words[0] === 'doctor' && !onPostgres) assert.match(said, /there is no store at/);
      else
        assert.match(said, /RAPSHEET_DATA_DIR: the folder \/proc\/rapsheet\/data cannot be used/);
    });

  it('is named with the setting that it comes from', async () => {
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
        await refused(['service', 'list'], { [setting]: value }),
        new RegExp(`${setting}: the folder ${folder} cannot be used: E`),
      );
  });

  it('may be one that is mounted read-only', { skip: whyNotMounted() }, async () => {
    const folder = join(installation.folder, 'read-only');
    mkdirSync(folder);
    call('mount', '-t', 'tmpfs', '-o', 'ro,size=1m', 'rapsheet-test', folder);
    try {
      const said = await refused(['serve'], { RAPSHEET_DATA_DIR: folder });
      assert.match(said, /RAPSHEET_DATA_DIR: .* cannot be used: EROFS/);
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

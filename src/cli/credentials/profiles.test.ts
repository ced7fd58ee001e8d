import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { formatToken } from '../../domain/accounts/token.ts';
import { CommandError, EXIT } from '../command.ts';
import { ProfileFile, requireProfile, requireProfileName, selectProfile } from './profiles.ts';

const TOKEN = formatToken(new Uint8Array(24).fill(5));
const WORK = { url: 'https://abuse.example', token: TOKEN, account: 'alice' };

const parent = mkdtempSync(join(tmpdir(), 'rapsheet-profiles-'));
const folder = join(parent, 'config', 'rapsheet');
const path = join(folder, 'profiles.json');
const file = new ProfileFile(folder);

beforeEach(() => rmSync(join(parent, 'config'), { recursive: true, force: true }));
after(() => rmSync(parent, { recursive: true }));

const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof CommandError &&
  error.exitCode === EXIT.denied &&
  pattern.test(error.message) &&
  !error.message.includes(TOKEN);

describe('the file of profiles', () => {
  it('is empty if it does not exist, and reading does not create it', () => {
    assert.deepEqual(file.read(), { selected: undefined, byName: new Map() });
    assert.deepEqual(readdirSync(parent), []);
  });

  it('is written for its owner only, and read again', async () => {
    const profiles = { selected: 'work', byName: new Map([['work', WORK]]) };
    await file.write(profiles);
    assert.deepEqual([statSync(folder).mode & 0o777, statSync(path).mode & 0o777], [0o700, 0o600]);
    assert.deepEqual(file.read(), profiles);
    await file.write({ selected: undefined, byName: new Map() });
    assert.equal(file.read().byName.size, 0);
    assert.deepEqual(readdirSync(folder), ['profiles.json']);
  });

  it('is refused if others may read it, with the command that corrects it', async () => {
    await file.write({ selected: 'work', byName: new Map([['work', WORK]]) });
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(path, mode);
      assert.throws(
        () => file.read(),
        refusal(/other users may read .*`chmod 600 .*profiles.json`/),
      );
    }
    chmodSync(path, 0o400);
    assert.equal(file.read().selected, 'work');
  });

  it('is refused if it is damaged, without quoting it', async () => {
    await file.write({ selected: undefined, byName: new Map() });
    const wrong = { default: 'work', profiles: { work: { ...WORK, token: `${TOKEN}x` } } };
    for (const text of ['', `{"${TOKEN}`, '[]', JSON.stringify(wrong)]) {
      writeFileSync(path, text);
      assert.throws(() => file.read(), refusal(/is damaged: delete it/));
    }
  });

  it('selects by name, else the default', () => {
    const profiles = { selected: 'work', byName: new Map([['work', WORK]]) };
    assert.deepEqual(selectProfile(profiles, undefined), { name: 'work', ...WORK });
    for (const name of ['play', 'constructor', '__proto__'])
      assert.equal(selectProfile(profiles, name), undefined);
    const absent = (error: unknown) =>
      error instanceof CommandError && error.exitCode === EXIT.absent;
    assert.throws(() => requireProfile(profiles, 'play'), absent);
    assert.throws(() => requireProfile({ ...profiles, selected: undefined }, undefined), absent);
  });

  it('has names without spaces, and those of hosts', () => {
    for (const name of ['work', 'abuse.example:8443', '[::1]:8080', 'alice@desk_2'])
      assert.equal(requireProfileName(name), name);
    for (const name of ['', ' work', '-x', '__proto__', 'a/b', 'a\nb'])
      assert.throws(() => requireProfileName(name), CommandError);
  });
});

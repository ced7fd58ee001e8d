import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConfigError } from '../config/environment.ts';
import { readClientConfig } from '../config.ts';
import { formatToken } from '../domain/accounts/token.ts';
import { CommandError, EXIT } from './command.ts';
import { findToken } from './connection.ts';

const HERE = 'http://127.0.0.1:8080';
const ADMIN = formatToken(new Uint8Array(24).fill(1));
const OWN = formatToken(new Uint8Array(24).fill(2));

describe('the token of a command', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rapsheet-connection-'));
  const ownFile = join(dataDir, 'own-token');
  writeFileSync(join(dataDir, 'admin-token'), `${ADMIN}\n`);
  writeFileSync(ownFile, `${OWN}\n`);
  after(() => rmSync(dataDir, { recursive: true }));

  it('is the one in the given file, before all others', () => {
    assert.equal(findToken({ url: HERE, token: ADMIN, dataDir }, ownFile), OWN);
  });

  it('is the one in the settings, before that of the admin', () => {
    assert.equal(findToken({ url: HERE, token: OWN, dataDir }, undefined), OWN);
  });

  it("is the admin's where the server is on this machine", () => {
    for (const url of [HERE, 'http://localhost:1', 'http://[::1]:1', 'https://127.8.9.10'])
      assert.equal(findToken({ url, token: undefined, dataDir }, undefined), ADMIN);
  });

  it("is never this machine's admin's where the server is elsewhere", () => {
    for (const url of ['https://abuse.example', 'http://127.0.0.1.example', 'http://10.0.0.1'])
      assert.throws(
        () => findToken({ url, token: undefined, dataDir }, undefined),
        (error) => error instanceof CommandError && error.exitCode === EXIT.denied,
      );
  });

  it('is not read from a file that is not there, or that holds something else', () => {
    const other = join(dataDir, 'other');
    writeFileSync(other, 'hunter2');
    for (const file of [other, join(dataDir, 'absent')])
      assert.throws(
        () => findToken({ url: HERE, token: OWN, dataDir }, file),
        (error) => error instanceof CommandError && !error.message.includes('hunter2'),
      );
  });
});

describe('the settings of commands that call a server', () => {
  it('have a server on this machine by default', () => {
    const { url, token } = readClientConfig({});
    assert.equal(url, HERE);
    assert.equal(token, undefined);
  });

  it('take where it is and the token from the environment', () => {
    const { url, token } = readClientConfig({
      RAPSHEET_URL: 'https://abuse.example/',
      RAPSHEET_TOKEN: OWN,
    });
    assert.equal(url, 'https://abuse.example');
    assert.equal(token, OWN);
  });

  it('do not repeat a token that is none', () => {
    assert.throws(
      () => readClientConfig({ RAPSHEET_TOKEN: 'hunter2' }),
      (error) =>
        error instanceof ConfigError &&
        error.message.startsWith('RAPSHEET_TOKEN ') &&
        !error.message.includes('hunter2'),
    );
  });
});

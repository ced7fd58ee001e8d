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

const LOCAL = 'http://127.0.0.1:8080';
const ADMIN = formatToken(new Uint8Array(24).fill(1));
const OWN = formatToken(new Uint8Array(24).fill(2));

describe('the token of a command', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rapsheet-connection-'));
  const ownFile = join(dataDir, 'own-token');
  writeFileSync(join(dataDir, 'admin-token'), `${ADMIN}\n`);
  writeFileSync(ownFile, `${OWN}\n`);
  after(() => rmSync(dataDir, { recursive: true }));

  it('is read from the token file first', () => {
    assert.equal(findToken({ url: LOCAL, token: ADMIN, dataDir }, ownFile), OWN);
  });

  it('is taken from the settings before the admin token', () => {
    assert.equal(findToken({ url: LOCAL, token: OWN, dataDir }, undefined), OWN);
  });

  it('is the local admin token if the server is on this machine', () => {
    for (const url of [LOCAL, 'http://localhost:1', 'http://[::1]:1', 'https://127.8.9.10'])
      assert.equal(findToken({ url, token: undefined, dataDir }, undefined), ADMIN);
  });

  it('is never the local admin token if the server is on another machine', () => {
    for (const url of ['https://abuse.example', 'http://127.0.0.1.example', 'http://10.0.0.1'])
      assert.throws(
        () => findToken({ url, token: undefined, dataDir }, undefined),
        (error) => error instanceof CommandError && error.exitCode === EXIT.denied,
      );
  });

  it('is not read from a missing file or from one without a token', () => {
    const other = join(dataDir, 'other');
    writeFileSync(other, 'hunter2');
    for (const file of [other, join(dataDir, 'absent')])
      assert.throws(
        () => findToken({ url: LOCAL, token: OWN, dataDir }, file),
        (error) => error instanceof CommandError && !error.message.includes('hunter2'),
      );
  });
});

describe('the settings of commands that call a server', () => {
  it('name a server on this machine by default', () => {
    const { url, token } = readClientConfig({});
    assert.equal(url, LOCAL);
    assert.equal(token, undefined);
  });

  it('take the URL and the token from the environment', () => {
    const { url, token } = readClientConfig({
      RAPSHEET_URL: 'https://abuse.example/',
      RAPSHEET_TOKEN: OWN,
    });
    assert.equal(url, 'https://abuse.example');
    assert.equal(token, OWN);
  });

  it('refuse an invalid token without quoting it', () => {
    assert.throws(
      () => readClientConfig({ RAPSHEET_TOKEN: 'hunter2' }),
      (error) =>
        error instanceof ConfigError &&
        error.message.startsWith('RAPSHEET_TOKEN ') &&
        !error.message.includes('hunter2'),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseLabel, parseConnectionUrl } from './connection-url.ts';
import { connectionTo } from './pools.ts';

describe('the URL of a database', () => {
  for (const url of [
    'postgres://me:p%40ss@[::1]:5432/x?sslmode=disable',
    'postgres://me:p%40ss@%2Frun%2Fpostgresql/x',
    'postgres://me@localhost/x?host=/run/postgresql&sslmode=require&uselibpqcompat=true',
  ])
    it(`is passed on unchanged without options and modes to replace: ${url}`, () => {
      assert.deepEqual(parseConnectionUrl(url), { url, options: '' });
    });

  it('verifies the certificate in every TLS mode, without a warning', () => {
    for (const mode of ['prefer', 'require', 'verify-ca'])
      assert.equal(
        parseConnectionUrl(`postgres://me:a%2Fb@h/x?sslmode=${mode}&sslrootcert=/ca.pem`).url,
        'postgres://me:a%2Fb@h/x?sslmode=verify-full&sslrootcert=%2Fca.pem',
      );
  });

  it('may contain session options, which do not override ours', () => {
    const { connectionString, options } = connectionTo(
      'postgres://me@h/x?options=-c%20search_path%3Dother%20-c%20timezone%3DAsia/Tokyo%20-c%20jit%3Don',
    );
    assert.equal(connectionString, 'postgres://me@h/x');
    assert.match(
      options ?? '',
      /^-c search_path=other -c timezone=Asia\/Tokyo -c jit=on -c timezone=UTC .*-c statement_timeout=15000 .*-c jit=off/,
    );
  });

  it('is named without its password', () => {
    assert.equal(
      databaseLabel('postgres://me:secret@h:1/x?password=secret'),
      'PostgreSQL at me@h:1/x',
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameOf, readAddress } from './address.ts';
import { connectionTo } from './pools.ts';

describe('the address of a database', () => {
  for (const url of [
    'postgres://me:p%40ss@[::1]:5432/x?sslmode=disable',
    'postgres://me:p%40ss@%2Frun%2Fpostgresql/x',
    'postgres://me@localhost/x?host=/run/postgresql&sslmode=require&uselibpqcompat=true',
  ])
    it(`stays as it was written where nothing in it is of our concern: ${url}`, () => {
      assert.deepEqual(readAddress(url), { url, options: '' });
    });

  it('has its certificate verified wherever it asks for TLS, without a warning', () => {
    for (const mode of ['prefer', 'require', 'verify-ca'])
      assert.equal(
        readAddress(`postgres://me:a%2Fb@h/x?sslmode=${mode}&sslrootcert=/ca.pem`).url,
        'postgres://me:a%2Fb@h/x?sslmode=verify-full&sslrootcert=%2Fca.pem',
      );
  });

  it('may ask something of sessions, which still have the times and zones of ours', () => {
    const { connectionString, options } = connectionTo(
      'postgres://me@h/x?options=-c%20search_path%3Dother%20-c%20timezone%3DAsia/Tokyo',
    );
    assert.equal(connectionString, 'postgres://me@h/x');
    assert.match(
      options ?? '',
      /^-c search_path=other -c timezone=Asia\/Tokyo -c timezone=UTC .*-c statement_timeout=15000/,
    );
  });

  it('is named without its password', () => {
    assert.equal(nameOf('postgres://me:secret@h:1/x?password=secret'), 'PostgreSQL at me@h:1/x');
  });
});

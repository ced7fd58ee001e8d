import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { isCommitted, Marks } from '../../src/storage/postgres/outcome.ts';
import { canRun, OwnPostgres, serverPrograms } from '../e2e/cluster/own-postgres.ts';

const skip =
  (!canRun && 'PostgreSQL does not run as root, and there is no user postgres') ||
  (serverPrograms === undefined && 'PostgreSQL is not there for this platform');

describe('a transaction whose commit was not answered', { skip }, () => {
  it('is not taken for another one that PostgreSQL gave its number to after a crash', async () => {
    const server = await OwnPostgres.create(serverPrograms ?? '');
    const url = server.urlOf('postgres');
    const { pools } = await openPostgres(url, 4);
    const marks = new Marks();
    const begin = async () => {
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      await client.connect();
      await client.query('begin');
      return { client, mark: await marks.leave(client) };
    };
    const lost = await begin();
    await server.crash();
    await server.start();
    const other = await begin();
    await other.client.query('commit');
    await other.client.end();
    assert.equal(other.mark.xid, lost.mark.xid, 'the number was given again');
    assert.equal(await isCommitted(pools.reads, lost.mark, 60_000), false);
    assert.equal(await isCommitted(pools.reads, other.mark, 60_000), true);
    await pools.end();
    await server.remove();
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { CommitMarkers, isCommitted } from '../../../src/storage/postgres/commit-markers.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { runStatements } from '../../../src/storage/postgres/statement-pipeline.ts';
import { canRun, OwnPostgres, serverPrograms } from '../../e2e/cluster/own-postgres.ts';

const skip =
  (!canRun && 'PostgreSQL does not run as root, and there is no user postgres') ||
  (serverPrograms === undefined && 'PostgreSQL is not available for this platform');

describe('a transaction whose commit was not answered', { skip }, () => {
  it('is not confused with a later one that has the same transaction id after a crash', async () => {
    const server = await OwnPostgres.create(serverPrograms ?? '');
    const url = server.urlOf('postgres');
    const { pools } = await openPostgres(url, 4);
    const markers = new CommitMarkers();
    const begin = async () => {
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      await client.connect();
      await client.query('begin');
      const { statement, read } = markers.write(client, {
        attempt: 1,
        lockMs: 1000,
        allowanceMs: 0,
      });
      const [rows] = await runStatements(client, [statement]);
      return { client, marker: read(rows) };
    };
    const lost = await begin();
    await server.crash();
    await server.start();
    const other = await begin();
    await other.client.query('commit');
    await other.client.end();
    assert.equal(other.marker.xid, lost.marker.xid, 'the transaction id is reused');
    assert.equal(await isCommitted(pools.reads, lost.marker, 60_000), false);
    assert.equal(await isCommitted(pools.reads, other.marker, 60_000), true);
    await pools.end();
    await server.remove();
  });
});

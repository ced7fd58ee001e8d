import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { checkPooler } from './pooler.ts';

/**
 * A client with its process id; the server's is 1, and its statements may be shared with other
 * clients.
 */
function connection(number: number, prepared: Set<string>, tracksStatements = false): pg.Client {
  const ownStatements = new Set<string>();
  const query = async (statement: string | { readonly name: string }) => {
    if (typeof statement === 'string') return { rows: [{ pid: 1 }] };
    if (!ownStatements.has(statement.name) && prepared.has(statement.name) && !tracksStatements)
      throw Object.assign(new Error('it exists'), { code: '42P05', severity: 'ERROR' });
    ownStatements.add(statement.name);
    prepared.add(statement.name);
    return { rows: [] };
  };
  // The parts that are used.
  return { processID: number, query, end: async () => undefined } as unknown as pg.Client;
}

describe('a pooler before PostgreSQL', () => {
  const unused = () => Promise.reject(new Error('no other connection is needed'));

  it('is not probed if the connection is direct', async () => {
    await checkPooler(connection(1, new Set()), unused, 'it');
  });

  it('is refused if clients share prepared statements', async () => {
    const shared = new Set<string>();
    await assert.rejects(
      checkPooler(connection(77, shared), async () => connection(78, shared), 'it'),
      /^Error: it is behind a pooler that mixes up prepared statements: set its pool_mode to session/,
    );
  });

  it('is accepted if clients have their own connections or it tracks statements', async () => {
    await checkPooler(connection(77, new Set()), async () => connection(78, new Set()), 'it');
    const shared = new Set<string>();
    await checkPooler(connection(77, shared, true), async () => connection(78, shared, true), 'it');
  });
});

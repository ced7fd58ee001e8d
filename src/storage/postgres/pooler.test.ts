import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { checkPooler } from './pooler.ts';

/** A connection to a server whose number is 1, on which statements may be prepared by others as well. */
function connection(number: number, prepared: Set<string>, knowsNames = false): pg.Client {
  const own = new Set<string>();
  const query = async (asked: string | { readonly name: string }) => {
    if (typeof asked === 'string') return { rows: [{ pid: 1 }] };
    if (!own.has(asked.name) && prepared.has(asked.name) && !knowsNames)
      throw Object.assign(new Error('it exists'), { code: '42P05', severity: 'ERROR' });
    own.add(asked.name);
    prepared.add(asked.name);
    return { rows: [] };
  };
  // All that is used of it.
  return { processID: number, query, end: async () => undefined } as unknown as pg.Client;
}

describe('a pooler before PostgreSQL', () => {
  const nobody = () => Promise.reject(new Error('nobody asked for another connection'));

  it('is not looked for where there is none', async () => {
    await checkPooler(connection(1, new Set()), nobody, 'it');
  });

  it('is refused where statements of one connection are met on another', async () => {
    const shared = new Set<string>();
    await assert.rejects(
      checkPooler(connection(77, shared), async () => connection(78, shared), 'it'),
      /^Error: it is behind a pooler that mixes up prepared statements: set its pool_mode to session/,
    );
  });

  it('is taken where connections are their own, or statements are known by name', async () => {
    await checkPooler(connection(77, new Set()), async () => connection(78, new Set()), 'it');
    const shared = new Set<string>();
    await checkPooler(connection(77, shared, true), async () => connection(78, shared, true), 'it');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CopiedText } from './copied-table.ts';
import { copiedServers, isFirstKnown, usageOf } from './servers.ts';

function copied(values: readonly (string | number)[]): readonly CopiedText[] {
  return values.map((value, index) => ({
    offset: 100 * index,
    text: typeof value === 'string' ? value : undefined,
    candidate: undefined,
    port: typeof value === 'number' ? value : undefined,
    id: undefined,
    isNextKnown: true,
  }));
}

function usages(texts: readonly CopiedText[]): readonly string[] {
  const servers = copiedServers(texts);
  const hasFirst = isFirstKnown(texts, servers);
  return servers.map((one) => `${one.host} ${one.port} ${usageOf(one, { servers, hasFirst })}`);
}

const C2 = 'c2.example.invalid';
const SCAN = 'scan.example.invalid';

describe('the servers of a table of Mirai', () => {
  it('are the C2 and the server for scan results, by its port', () => {
    assert.deepEqual(usages(copied([C2, 23, SCAN, 48_101, 'shell'])), [
      `${C2} 23 c2`,
      `${SCAN} 48101 upload`,
    ]);
  });

  it('have neither port nor usage if ports are before servers', () => {
    assert.deepEqual(usages(copied(['shell', 48_101, SCAN, 23, C2, 'enable'])), [
      `${SCAN} undefined other`,
      `${C2} undefined other`,
    ]);
  });

  it('have no C2 if neither the port of a server nor the number of an entry is known', () => {
    const texts = copied([SCAN, 6667, C2, 23]);
    assert.deepEqual(usages(texts), [`${SCAN} 6667 other`, `${C2} 23 other`]);
    const numbered = copied([C2, 23, SCAN, 6667]).map((one, index) => ({ ...one, id: index + 1 }));
    assert.deepEqual(usages(numbered), [`${C2} 23 c2`, `${SCAN} 6667 other`]);
  });

  it('have no C2 if there is one server only, unless its number is that of the public source', () => {
    const numbered = (ids: readonly number[]) =>
      copied([SCAN, 6667, '/proc/', 'shell']).map((one, index) => ({ ...one, id: ids[index] }));
    assert.deepEqual(usages(numbered([1, 2, 3, 4])), [`${SCAN} 6667 other`]);
    assert.deepEqual(usages(numbered([3, 4, 5, 7])), [`${SCAN} 6667 other`]);
    assert.deepEqual(usages(numbered([3, 4, 6, 20])), [`${SCAN} 6667 c2`]);
  });

  it('without a port are C2s only if no other has one', () => {
    const resolver = '9.9.9.9';
    assert.deepEqual(usages(copied([C2, 23, SCAN, 48_101, resolver, 'shell'])), [
      `${C2} 23 c2`,
      `${SCAN} 48101 upload`,
      `${resolver} undefined other`,
    ]);
    assert.deepEqual(usages(copied([C2, 'x', SCAN, 48_101])), [
      `${C2} undefined c2`,
      `${SCAN} 48101 upload`,
    ]);
  });

  it('have no C2 if the numbers of the entries are in another order', () => {
    const ids = [5, 6, 3, 4];
    const texts = copied([SCAN, 6667, C2, 23]).map((one, index) => ({ ...one, id: ids[index] }));
    assert.deepEqual(usages(texts), [`${SCAN} 6667 other`, `${C2} 23 other`]);
  });
});

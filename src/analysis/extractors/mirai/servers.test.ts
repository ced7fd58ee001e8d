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

  it('have no C2 if the numbers of the entries are in another order', () => {
    const ids = [5, 6, 3, 4];
    const texts = copied([SCAN, 6667, C2, 23]).map((one, index) => ({ ...one, id: ids[index] }));
    assert.deepEqual(usages(texts), [`${SCAN} 6667 other`, `${C2} 23 other`]);
  });
});

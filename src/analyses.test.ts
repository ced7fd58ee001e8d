import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAgain } from './analyses.ts';
import { createLog } from './observability/log.ts';

const SILENT = createLog('silent');
const AT_ONCE = [0];

describe('opening what may not be there yet', () => {
  it('is tried until it succeeds', async () => {
    const { signal } = new AbortController();
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries < 4) throw new Error('there is no room');
      return 'opened';
    };
    assert.equal(await openAgain(open, { signal, log: SILENT, waitsMs: AT_ONCE }), 'opened');
    assert.equal(tries, 4);
  });

  it('ends where it is not wanted any more, however long it would wait', async () => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const log = createLog('error', { write: (line) => lines.push(line) });
    const open = () => {
      setImmediate(() => stopping.abort());
      return Promise.reject(new Error('there is no room'));
    };
    const opening = openAgain(open, { signal: stopping.signal, log, waitsMs: [3_600_000] });
    assert.equal(await opening, undefined);
    assert.equal(lines.length, 1);
  });
});

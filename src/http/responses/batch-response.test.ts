import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { TurnCounter } from '../../../test/turn-counter.ts';
import { createMetrics } from '../../observability/metrics.ts';
import type { LineResult } from '../../operations/reports/create-reports.ts';
import { MemoryBudget } from '../gate/memory-budget.ts';
import { BatchResponse, writeResults } from './batch-response.ts';

function resultOf(line: number): LineResult {
  return { line, id: `report-${line}`, replayed: false };
}

describe('the results of a batch', () => {
  it('are written in order, the next lines being read in another turn of the event loop', async () => {
    const turns = new TurnCounter();
    async function* others() {
      for (let line = 2; line <= 6; line += 1) {
        turns.mark();
        yield [resultOf(line)];
      }
    }
    const response = new BatchResponse(new MemoryBudget(createMetrics().memory, 1_000_000), 'a');
    const received = text(response);
    await writeResults(response, [resultOf(1)], others(), ({ line }) => `${line}\n`);
    turns.stop();
    assert.equal(await received, '1\n2\n3\n4\n5\n6\n');
    assert.deepEqual(turns.byTurn, [1, 1, 1, 1, 1]);
  });
});

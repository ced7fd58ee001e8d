import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onShutdownSignal } from './signals.ts';

describe('onShutdownSignal', () => {
  it('ignores a duplicate of the signal within 500 ms, and lets a later one end the process', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const before = process.listenerCount('SIGINT');
    const received: string[] = [];
    const off = onShutdownSignal((signal) => received.push(signal));
    process.emit('SIGINT');
    assert.equal(
      process.listenerCount('SIGINT'),
      before + 1,
      'without a listener the process would end',
    );
    process.emit('SIGINT');
    assert.deepEqual(received, ['SIGINT']);
    test.mock.timers.tick(500);
    assert.equal(process.listenerCount('SIGINT'), before, 'the next signal ends the process');
    off();
    assert.equal(process.listenerCount('SIGTERM'), before);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEnd } from './signals.ts';

describe('a process that is told to end', () => {
  it('takes the same word of its terminal and of its starter for one, and a later one for another', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const before = process.listenerCount('SIGINT');
    const heard: string[] = [];
    const off = onEnd((signal) => heard.push(signal));
    process.emit('SIGINT');
    assert.equal(process.listenerCount('SIGINT'), before + 1, 'the system would end it otherwise');
    process.emit('SIGINT');
    assert.deepEqual(heard, ['SIGINT']);
    test.mock.timers.tick(500);
    assert.equal(process.listenerCount('SIGINT'), before, 'the next one ends it');
    off();
    assert.equal(process.listenerCount('SIGTERM'), before);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freePort } from '../../test/free-port.ts';
import { createLog } from './log.ts';
import { serveMetrics } from './metrics-server.ts';

const source = { contentType: 'text/plain', metrics: async () => 'up 1\n' };

describe('the listener of metrics', () => {
  it('listens on the address of the setting, and on no other', async (test) => {
    const metricsPort = await freePort();
    const address = { metricsPort, metricsHost: '127.0.0.2' };
    test.after(await serveMetrics(source, address, createLog('silent')));
    const response = await fetch(`http://127.0.0.2:${metricsPort}/metrics`);
    assert.equal(await response.text(), 'up 1\n');
    await assert.rejects(fetch(`http://127.0.0.1:${metricsPort}/metrics`));
  });

  it('is off if the address cannot be used, and stops without an error', async () => {
    const address = { metricsPort: 1024, metricsHost: '192.0.2.1' };
    const stop = await serveMetrics(source, address, createLog('silent'));
    await stop();
  });
});

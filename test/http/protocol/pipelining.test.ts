import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TurnCounter } from '../../turn-counter.ts';
import { until } from '../../until.ts';
import { openRig } from '../http-rig.ts';
import { answersTo, assertRefusal, listen, talk } from '../wire.ts';

const rig = await openRig();
await listen(rig);
after(() => rig.close());

const { token } = await rig.reader();
const service = await rig.service();
const WAIT = { timeout: 120_000 };
const PROBE = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = PROBE.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
const { heldBytes } = rig.deps.metrics.memory;
/** The first request is handled at once. The last one is refused. */
const MAX_WAITING = 32;
/** The data that one connection may keep on the server. */
const MAX_BYTES = MAX_WAITING * 6 * 1024;

/** The numbers of requests of one connection that are answered in the same turn. */
async function answeredByTurn(count: number): Promise<readonly number[]> {
  const turns = new TurnCounter();
  const watch = (_: unknown, response: ServerResponse) =>
    void response.once('finish', () => turns.mark());
  rig.app.server.on('request', watch);
  const answers = await answersTo(rig, PROBE.repeat(count - 1) + LAST);
  rig.app.server.off('request', watch);
  turns.stop();
  assert.equal(answers.length, count);
  return turns.byTurn;
}

describe('pipelined requests', WAIT, () => {
  it('are all answered if they are thirty', async () => {
    const answers = await answersTo(rig, PROBE.repeat(30) + LAST);
    assert.equal(answers.length, 31);
    assert.ok(answers.every(({ status }) => status === 200));
  });

  it('are each handled in another turn of the event loop', async () => {
    assert.deepEqual(await answeredByTurn(20), Array(20).fill(1));
  });

  it('are refused after the accepted ones if they are thousands', async () => {
    const answers = await answersTo(rig, PROBE.repeat(1500));
    const last = answers.at(-1);
    assert.ok(last);
    assertRefusal(last, 429, 'too_many_pipelined');
    assert.equal(answers.length, MAX_WAITING + 2);
    assert.ok(answers.slice(0, -1).every(({ status }) => status === 200));
  });

  it('are not kept after an open stream, and are dropped with it', async () => {
    const stream = `GET /feed/${service}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`;
    let peak = 0;
    await talk(rig, (socket) => {
      socket.write(stream);
      // In many small parts, which arrive one after the other.
      for (let part = 0; part < 100; part += 1) socket.write(PROBE.repeat(50));
      void (async () => {
        await until(() => heldBytes.pipelined > 0, 'some wait');
        for (let looks = 0; looks < 100; looks += 1) {
          peak = Math.max(peak, heldBytes.pipelined);
          await turn();
        }
        socket.destroy();
        await until(() => heldBytes.pipelined === 0, 'nothing is kept any more');
      })();
    });
    assert.ok(peak <= MAX_BYTES, `${peak} bytes are kept`);
    assert.equal(heldBytes.pipelined, 0);
  });

  it('continue to be read as they are answered', async () => {
    const received = await talk(rig, (socket) => {
      let bursts = 0;
      let answered = 0;
      const send = () => {
        for (; bursts < 29 && bursts * 12 - answered < 20; bursts += 1)
          socket.write(PROBE.repeat(12));
        if (answered === 29 * 12) socket.write(LAST);
      };
      socket.on('data', (text: string) => {
        answered += text.split('HTTP/1.1 200').length - 1;
        send();
      });
      send();
    });
    assert.equal(received.split('HTTP/1.1 200').length - 1, 29 * 12 + 1);
  });
});

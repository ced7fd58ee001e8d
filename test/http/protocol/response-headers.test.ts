import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HEADERS } from '../../../src/http/responses/response-headers.ts';
import { createBody, wireAnalysis } from '../../builders.ts';
import { openRig } from '../http-rig.ts';
import { answersTo, listen, readAnswers, talk, type WireAnswer } from '../wire.ts';

const rig = await openRig();
await listen(rig);
after(() => rig.close());

const service = await rig.service();
const { token } = await rig.researcher();
const { sha256Hash } = await rig.analyse(rig.fresh('file'));
const id = await rig.report(service, token);
const BODY = JSON.stringify(createBody());

const LINES = {
  fetch: `GET /feed/${service}/api?report=${id}`,
  lookup: `GET /private/sample/${sha256Hash}`,
  create: `POST /feed/${service}/api`,
};

/** One request that keeps the connection open, then the same again, which closes it. */
async function ask(line: string): Promise<readonly [WireAnswer, WireAnswer]> {
  const body = line.startsWith('POST') ? BODY : '';
  const request = (connection: string) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n${connection}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const [kept, closed, ...others] = await answersTo(
    rig,
    request('') + request('Connection: close\r\n'),
  );
  assert.ok(kept && closed);
  assert.deepEqual(others, []);
  return [kept, closed];
}

describe('a response', () => {
  for (const [call, line] of Object.entries(LINES)) {
    it(`has the headers of every response, for a ${call}`, async () => {
      const [kept, closed] = await ask(line);
      for (const { headers } of [kept, closed]) {
        for (const [name, value] of Object.entries(HEADERS)) assert.equal(headers.get(name), value);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.match(headers.get('x-request-id') ?? '', /^[\w-]{8}-\w+$/);
      }
      assert.notEqual(kept.headers.get('x-request-id'), closed.headers.get('x-request-id'));
    });

    it(`keeps the connection unless the client closes it, for a ${call}`, async () => {
      const [kept, closed] = await ask(line);
      const [other] = await ask('GET /livez');
      for (const name of ['connection', 'keep-alive'])
        assert.equal(kept.headers.get(name), other.headers.get(name));
      assert.equal(closed.headers.get('connection'), 'close');
    });
  }

  it('is encoded as UTF-8', async () => {
    const other = await rig.report(service, token, { tags: ['naïve', '語'] });
    const [kept] = await ask(`GET /feed/${service}/api?report=${other}`);
    const { report } = JSON.parse(Buffer.from(kept.body, 'latin1').toString('utf8'));
    assert.deepEqual(report.tags, ['naïve', '語']);
  });

  it('has the same headers if it is long', async () => {
    const configs = { LANTERN: { C2s: 'x'.repeat(9000) } };
    const long = await rig.analyse(rig.fresh('file'), { configs });
    const [short] = await ask(LINES.lookup);
    const [kept] = await ask(`GET /private/sample/${long.sha256Hash}`);
    assert.deepEqual(JSON.parse(kept.body), wireAnalysis('', long));
    assert.deepEqual([...kept.headers.keys()].sort(), [...short.headers.keys()].sort());
  });

  it('closes the connection of a client that expects 100 Continue for a request without a body', async () => {
    const request = `${LINES.fetch} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nExpect: 100-continue\r\n\r\n`;
    const [answer] = readAnswers(await talk(rig, (socket) => socket.write(request)));
    assert.equal(answer?.status, 200);
    assert.equal(answer?.headers.get('connection'), 'close');
  });

  it('is recorded in the metrics, with its duration', async () => {
    await ask(LINES.fetch);
    const text = await rig.deps.metrics.registry.metrics();
    const labels = '{method="GET",route="/feed/:service/api",status="200"}';
    const metric = (part: string) =>
      Number(text.split(`rapsheet_http_request_seconds_${part}${labels} `)[1]?.split('\n')[0]);
    const before = metric('count');
    assert.ok(before >= 2);
    assert.ok(metric('sum') > 0);
    await ask(LINES.fetch);
    assert.match(
      await rig.deps.metrics.registry.metrics(),
      new RegExp(
        `seconds_count\\{method="GET",route="/feed/:service/api",status="200"\\} ${before + 2}`,
      ),
    );
  });
});

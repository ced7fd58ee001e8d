import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createBody } from '../../builders.ts';
import { FORM_TYPE, filePart, form, openRig } from '../http-rig.ts';
import { assertRefusal, listen, readAnswers, talk } from '../wire.ts';

const rig = await openRig();
await listen(rig);
after(() => rig.close());

const { token } = await rig.researcher();
const service = await rig.service();
const WAIT = { timeout: 180_000 };
const UPLOAD = form(filePart('MZ something', 'a.exe'));

function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
}

/** Sends a head, then the body when the server asks for it, and returns the response. */
async function answersToExpecting(text: string, body: Buffer | string = '') {
  const received = await talk(rig, (socket) => {
    socket.once('data', (interim) => {
      if (String(interim).startsWith('HTTP/1.1 100')) socket.write(body);
      else socket.end();
    });
    socket.write(text);
  });
  return readAnswers(received);
}

describe('a client that waits for 100 Continue', WAIT, () => {
  for (const path of [
    '/private/upload',
    '/private/upload?a',
    '/private/%75pload',
    `/feed/${service}/api`,
    `/feed/${service}/reports`,
    '/admin/samples',
  ])
    it(`is refused without a token before it sends anything to ${path}`, async () => {
      const answers = await answersToExpecting(
        head(
          `POST ${path}`,
          `Content-Type: ${FORM_TYPE}`,
          'Content-Length: 9000',
          'Expect: 100-continue',
        ),
      );
      assert.equal(answers.length, 1);
      assert.ok(answers[0]);
      assertRefusal(answers[0], 401, 'token_missing');
    });

  it('is refused at once with 404', async () => {
    const [answer, ...others] = await answersToExpecting(
      head(
        'POST /nothing/here',
        'Content-Type: application/json',
        'Content-Length: 9000',
        'Expect: 100-continue',
      ),
    );
    assert.ok(answer);
    assertRefusal(answer, 404, 'unknown_route');
    assert.deepEqual(others, []);
  });

  it('receives 100 Continue at every spelling of the path', async () => {
    const answers = await answersToExpecting(
      head(
        'POST /private/upload?a',
        `Authorization: ${token}`,
        `Content-Type: ${FORM_TYPE}`,
        `Content-Length: ${UPLOAD.length}`,
        'Expect: 100-continue',
        'Connection: close',
      ),
      UPLOAD,
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 200],
    );
  });
});

describe('an unknown transfer encoding', WAIT, () => {
  const body = JSON.stringify(createBody());
  for (const [what, line, headers] of [
    ['a create', `POST /feed/${service}/api`, [`Authorization: ${token}`]],
    ['a create without a token', `POST /feed/${service}/api`, []],
    ['an upload', 'POST /private/upload', [`Authorization: ${token}`]],
    ['a bulk create', `POST /feed/${service}/reports`, [`Authorization: ${token}`]],
    ['an unknown address', 'POST /nothing/here', []],
    ['a call that has no body', 'GET /livez', []],
  ] as const)
    it(`gets ${what} one response, and the connection is closed`, async () => {
      const text = head(
        line,
        ...headers,
        'Content-Type: application/json',
        'Transfer-Encoding: xchunked',
      );
      const changes = await rig.changesDuring(service, async () => {
        const received = await talk(rig, (socket) => socket.write(text + body));
        assert.equal(readAnswers(received).length, 1, received);
      });
      assert.equal(changes, 0);
    });
});

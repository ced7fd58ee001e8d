import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ownRig } from '../http-rig.ts';
import { ROOT } from './taxii-reader.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

/** Every way in which pollers send a token. */
const FORMS: Readonly<Record<string, (token: string) => Readonly<Record<string, string>>>> = {
  'the whole header': (token) => ({ authorization: token }),
  Bearer: (token) => ({ authorization: `bearer ${token}` }),
  Token: (token) => ({ authorization: `TOKEN ${token}` }),
  'the password of Basic': (token) => ({ authorization: basic(`poller:${token}`) }),
  'the user name of Basic': (token) => ({ authorization: basic(`${token}:x`) }),
  'X-Api-Key': (token) => ({ 'x-api-key': token }),
  'Auth-Key': (token) => ({ 'auth-key': token }),
};

const PATHS = ['/taxii2/', `${ROOT}collections/none/objects/`, '/feed/none/export/csv'];

for (const [form, headersOf] of Object.entries(FORMS))
  it(`a token as ${form} is in no log, answer or metric, and a bad one is counted`, async (test) => {
    const lines: string[] = [];
    const rig = await ownRig(test, { log: (line) => lines.push(line) });
    const { token } = await rig.reader();
    const bad = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const answers: string[] = [];
    for (const [sent, expected] of [
      [token, [200, 404, 404]],
      [bad, [401, 401, 401]],
    ] as const)
      for (const [index, path] of PATHS.entries()) {
        const answer = await rig.ask('GET', path, { headers: headersOf(sent) });
        assert.equal(answer.status, expected[index], `${path}: ${answer.text}`);
        answers.push(JSON.stringify(answer.headers), answer.text);
      }
    // Above the limit of bad tokens of an address.
    let last = 0;
    for (let count = 0; count < 100; count += 1)
      last = (await rig.ask('GET', PATHS[0] ?? '', { headers: headersOf(bad) })).status;
    assert.equal(last, 429);
    assert.equal((await rig.ask('GET', PATHS[0] ?? '', { headers: headersOf(token) })).status, 200);
    const metrics = await rig.deps.metrics.registry.metrics();
    const written = [...lines, ...answers, metrics].join('\n');
    assert.ok(lines.length > 100, 'requests are logged');
    for (const secret of [token, bad])
      for (const text of [secret.slice(4, -2), ...Object.values(headersOf(secret))])
        assert.ok(!written.includes(text.replace(/^basic /i, '')), text);
  });

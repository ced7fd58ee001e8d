import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from './log.ts';

const SECRET = 'rap_0123456789';

describe('the log', () => {
  for (const name of ['token', 'authorization', 'headers', 'x-api-key', 'auth-key', 'api-key'])
    it(`does not contain ${name}, not even in an object`, () => {
      const lines: string[] = [];
      const log = createLog('info', { write: (line) => void lines.push(line) });
      log.info({ [name]: SECRET, call: { [name]: SECRET, method: 'GET' } }, 'called');
      const [line = ''] = lines;
      assert.doesNotMatch(line, new RegExp(SECRET));
      assert.partialDeepStrictEqual(JSON.parse(line), {
        msg: 'called',
        [name]: '[secret]',
        call: { method: 'GET', [name]: '[secret]' },
      });
    });
});

import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { askSecret, readSecret } from './secret.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

describe('a secret', () => {
  const ask = (keys: string) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answered = askSecret('Token: ', { input, output });
    input.write(keys);
    return answered.then(async (answer) => ({ answer, shown: await text(output.end()) }));
  };

  it('is asked for without being shown', async () => {
    assert.deepEqual(await ask(' rap_secret \r'), { answer: 'rap_secret', shown: 'Token: \n' });
    assert.deepEqual(await ask('x\x7frap\r'), { answer: 'rap', shown: 'Token: \n' });
  });

  it('is absent at the end of the input', async () => {
    assert.equal((await ask(CTRL_D)).answer, undefined);
  });

  it('is left out with Ctrl-C, which interrupts the process', async () => {
    const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
    void ask(CTRL_C);
    assert.equal(await interrupted, 'SIGINT');
  });

  it('is read from a pipe, but not the whole of a wrong file', async () => {
    assert.equal(await readSecret(Readable.from(['rap_', 'secret\n'])), 'rap_secret');
    const endless = Readable.from(
      (function* () {
        for (;;) yield 'x'.repeat(1000);
      })(),
    );
    assert.ok((await readSecret(endless)).length < 10_000);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { gafgyt } from './gafgyt.ts';

const sample = (name: string) => fixture(`analysis/families/gafgyt-${name}.elf`);
const plain = sample('plain');
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const likely = { capabilities: ['DDOS_COMMANDS'], heuristic: true };

describe('settings of Gafgyt', () => {
  it('are the address among its strings, marked heuristic', () => {
    assert.deepEqual(extracted(gafgyt, plain), {
      ...likely,
      endpoints: [c2('192.0.2.50', 23)],
      offset: 376,
    });
  });

  it('may be several addresses and names', () => {
    assert.deepEqual(extracted(gafgyt, sample('several')), {
      ...likely,
      endpoints: [
        c2('192.0.2.51', 666),
        c2('198.51.100.51', 8443),
        c2('bots.example.invalid', 443),
      ],
      offset: 292,
    });
  });

  it('may lack the port, and exclude the public resolver', () => {
    assert.deepEqual(extracted(gafgyt, sample('no-port')), {
      ...likely,
      endpoints: [{ protocol: 'tcp', usage: 'c2', host: '203.0.113.50' }],
      offset: 8272,
    });
  });

  it('exclude a public resolver with its port', () => {
    const bytes = Buffer.concat([plain, Buffer.from('\x008.8.8.8:53\x00')]);
    assert.deepEqual(extracted(gafgyt, bytes), extracted(gafgyt, plain));
  });

  it('are missing if no string is an address, and the family is recognised', () => {
    assert.deepEqual(extracted(gafgyt, sample('no-server')), {
      unread: 'no server among its texts',
      offset: 8259,
    });
  });

  it('are not read from a program with few of the strings or a truncated one', () => {
    assert.equal(extracted(gafgyt, sample('lookalike')), undefined);
    assert.equal(extracted(gafgyt, sample('damaged')), undefined);
  });

  it('are not read from a program without specific commands', () => {
    const other = plain
      .toString('latin1')
      .replace(/GETLOCALIP|KILLATTK|LOLNOGTFO/g, (word) => 'X'.repeat(word.length));
    assert.equal(extracted(gafgyt, Buffer.from(other, 'latin1')), undefined);
  });

  it('are not read if the strings are truncated or parts of others', () => {
    assert.equal(extracted(gafgyt, plain.subarray(0, plain.indexOf('SCANNER'))), undefined);
    const longer = Buffer.from(plain.toString('latin1').replace(/\0(?=[A-Z])/g, 'x'), 'latin1');
    assert.equal(extracted(gafgyt, longer), undefined);
  });

  it('are limited to the maximum number of addresses', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `h${index}.example.invalid:1\0`);
    const words = plain.subarray(plain.indexOf('PING') - 1);
    const bytes = Buffer.concat([
      plain.subarray(0, 52),
      Buffer.alloc(4),
      words,
      Buffer.from(many.join('')),
      words,
    ]);
    const found = extracted(gafgyt, bytes);
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.ok(found.endpoints.length <= 1000 && found.endpoints.length > 100);
  });

  it('do not fail on damaged files', () => {
    fc.assert(
      fc.property(hostileVariants(plain), (bytes) => {
        extracted(gafgyt, bytes);
      }),
      fuzzSettings(),
    );
  });
});

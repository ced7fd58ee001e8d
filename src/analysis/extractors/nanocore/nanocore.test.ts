import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { Reader } from '../../reader.ts';
import { nanocore } from './nanocore.ts';
import { readValues } from './values.ts';

const sample = (name: string) => fixture(`analysis/families/nanocore-${name}.exe`);
const plain = sample('plain');
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });

const common = {
  version: '1.2.2.0',
  campaign: ['fixtures'],
  mutex: ['0a0b0c0d-0e0f-4011-8213-141516171819'],
  endpoints: [c2('nano.example.invalid', 54_984), c2('192.0.2.54', 54_984)],
  other: {
    'Build Time': '2024-01-02T03:04:05.000Z',
    'Run On Startup': 'True',
    'Request Elevation': 'False',
    'Bypass UAC': 'True',
    'Clear Zone Identifier': 'True',
    'Critical Process': 'False',
    'Keyboard Logging': 'True',
    'Connect Delay': '4000',
    'Restart Delay': '5000',
    'Primary DNS': '192.0.2.53',
    'Backup DNS': '198.51.100.53',
  },
  capabilities: ['SETTING_INSTALL', 'SETTING_KEYLOGGER', 'SETTING_UAC_BYPASS'],
  offset: 2136,
};

describe('settings of NanoCore', () => {
  it('are read with the key wrapped by the GUID of the assembly, after a plugin', () => {
    assert.deepEqual(extracted(nanocore, plain), common);
  });

  it('are read from an embedded resource with the key before them', () => {
    assert.deepEqual(extracted(nanocore, sample('own-key')), { ...common, offset: 640 });
  });

  it('are read with a group that has the name of a setting', () => {
    const found = extracted(nanocore, sample('group'));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual([found.campaign, found.endpoints], [['HOST'], common.endpoints]);
  });

  it('are read with the key of the leaked builder', () => {
    assert.deepEqual(extracted(nanocore, sample('leaked-key')), common);
    assert.deepEqual(extracted(nanocore, sample('other-key-size')), common);
  });

  it('are read in the form of the oldest versions', () => {
    assert.deepEqual(extracted(nanocore, sample('oldest')), {
      version: undefined,
      campaign: ['Old'],
      mutex: undefined,
      endpoints: [c2('old.example.invalid', 9033)],
      other: { 'Keyboard Logging': 'False', 'Connect Delay': '2500' },
      capabilities: [],
      offset: 2136,
    });
  });

  it('are not read if they are damaged or truncated, or the GUID is wrong', () => {
    assert.equal(extracted(nanocore, sample('damaged')), undefined);
    assert.equal(extracted(nanocore, sample('cut')), undefined);
    assert.equal(extracted(nanocore, plain.subarray(0, common.offset + 100)), undefined);
    const other = Buffer.from(plain);
    other.write('e', other.indexOf('f1f7f1f7-0001', 0, 'latin1'), 'latin1');
    assert.equal(extracted(nanocore, other), undefined);
  });

  it('are not unpacked beyond the budget', () => {
    assert.equal(extracted(nanocore, plain, { bytes: 100 }), undefined);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(nanocore, plain, { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['plain', 'own-key', 'oldest'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(nanocore, bytes);
        }),
        fuzzSettings(),
      );
  });
});

describe('values of NanoCore', () => {
  const values = (...bytes: number[]) => readValues(new Reader(Buffer.from(bytes)), 0);

  it('of every size are skipped', () => {
    const fixed = { 1: 1, 3: 1, 5: 16, 6: 8, 8: 8, 9: 1, 10: 2, 11: 4, 14: 8, 19: 8, 20: 16 };
    for (const [type, size] of Object.entries(fixed)) {
      const bytes = [Number(type), ...Buffer.alloc(size, 1), 0, 1];
      assert.deepEqual(values(...bytes), [
        { type: 'other', text: '' },
        { type: 'bool', text: 'True' },
      ]);
    }
    assert.equal(values(2, 2, 0, 0, 0, 9, 9, 4, 1, 0, 0, 0, 9)?.length, 2);
    assert.equal(values(17, 2, 0, 0, 0, 1, 0x61, 0, 0, 0)?.length, 2);
  });

  it('are numbers with and without a sign', () => {
    assert.equal(values(7, 0xff, 0xff, 0xff, 0xff)?.[0]?.text, '-1');
    assert.equal(values(13, 0xff, 0xff, 0xff, 0xff)?.[0]?.text, '4294967295');
  });

  it('include texts of more than 127 bytes', () => {
    const text = 'x'.repeat(300);
    assert.equal(values(12, 0xac, 2, ...Buffer.from(text))?.[0]?.text, text);
  });

  it('include times of any kind, empty beyond the calendar', () => {
    assert.equal(values(16, ...Buffer.alloc(8))?.[0]?.text, '0001-01-01T00:00:00.000Z');
    assert.equal(values(16, ...Buffer.alloc(8, 0xff))?.[0]?.text, '');
  });

  it('are rejected if one is of an unknown type, truncated or too long', () => {
    assert.equal(values(0, 1, 22, 0), undefined);
    assert.equal(values(7, 1, 2), undefined);
    assert.equal(values(2, 0xff, 0xff, 0xff, 0xff), undefined);
    assert.equal(values(12, 0xff, 0xff, 0xff, 0xff, 0x0f), undefined);
    assert.equal(values(17, 0xff, 0xff, 0xff, 0xff), undefined);
  });

  it('are rejected if there are too many', () => {
    assert.equal(values(...Buffer.alloc(40_000)), undefined);
  });
});

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { xenorat } from './xenorat.ts';

const sample = (name: string) => fixture(`analysis/families/xenorat-${name}.exe`);
const read = (name: string) => extracted(xenorat, sample(name));
/** The key is the digest of the password, and is itself reported as a digest. */
const keyDigest = (password: string) => hash('sha256', hash('sha256', password, 'buffer'));

/** Replaces an instruction with another of the same length. */
function patched(from: string, to: string): Buffer {
  const bytes = Buffer.from(sample('plain'));
  const at = bytes.indexOf(Buffer.from(from, 'hex'));
  assert.notEqual(at, -1);
  bytes.write(to, at, 'hex');
  return bytes;
}

describe('settings of XenoRAT', () => {
  it('are read from the fields of the entry class', () => {
    assert.deepEqual(read('plain'), {
      endpoints: [{ protocol: 'tcp', usage: 'c2', host: 'xeno.example.invalid', port: 4444 }],
      mutex: ['Xeno_fixture_1'],
      other: {
        'Run On Startup': 'false',
        'Connect Delay': '5000',
        'Key SHA-256': keyDigest('not-a-password'),
      },
      capabilities: [],
      offset: 1327,
    });
  });

  it('have the folder and the name of the installation', () => {
    assert.deepEqual(read('install'), {
      endpoints: [{ protocol: 'tcp', usage: 'c2', host: '192.0.2.77', port: 443 }],
      mutex: ['Xeno_fixture_2'],
      other: {
        'Install Folder': '%appdata%\\XenoManager',
        'Startup Key': 'Updates',
        'Run On Startup': 'true',
        'Connect Delay': '5000',
        'Key SHA-256': keyDigest('other'),
      },
      capabilities: ['SETTING_INSTALL'],
      offset: 1327,
    });
  });

  it('are read without the names of fields', () => {
    assert.deepEqual(read('nameless'), read('plain'));
  });

  it('are those of the class that the program uses', () => {
    const [found, plain] = [read('decoy'), read('plain')];
    assert.ok(found && 'endpoints' in found && plain && 'endpoints' in plain);
    assert.deepEqual([found.endpoints, found.other], [plain.endpoints, plain.other]);
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(read('template'), { unread: 'template that was never built', offset: 1327 });
  });

  it('are not read from a file truncated before the key', () => {
    for (const name of ['plain', 'template'])
      assert.equal(extracted(xenorat, sample(name).subarray(0, 3_047)), undefined, name);
  });

  it('are not read if a value is none that the builder writes, or the literal is missing', () => {
    assert.equal(read('damaged'), undefined);
    assert.equal(read('lookalike'), undefined);
    for (const change of [{ 'xeno.example.invalid': '' }, { nothingset: 'nothingset2' }])
      assert.equal(
        extracted(xenorat, withLiterals(sample('plain'), change)),
        undefined,
        JSON.stringify(change),
      );
  });

  it('are not read with a wrong port or a negative delay', () => {
    // `ldc.i4 4444` and `ldc.i4 5000`.
    assert.equal(extracted(xenorat, patched('205c110000', '2000000100')), undefined);
    assert.equal(extracted(xenorat, patched('205c110000', '2000000000')), undefined);
    assert.equal(extracted(xenorat, patched('2088130000', '20ffffffff')), undefined);
  });

  it('are not read if the file is truncated, or when the time budget is used up', () => {
    const whole = sample('plain');
    assert.equal(extracted(xenorat, whole.subarray(0, whole.length / 2)), undefined);
    assert.equal(extracted(xenorat, whole, { isOver: () => true }), undefined);
  });

  it('stay limited if they are hostile', () => {
    const hostile = withLiterals(sample('plain'), {
      'xeno.example.invalid': `\u202e__proto__${'a.'.repeat(500_000)}`,
      Xeno_fixture_1: 'm'.repeat(1e6),
    });
    const shown = JSON.stringify(extracted(xenorat, hostile));
    assert.ok(shown.length < 10_000);
    assert.doesNotMatch(shown, /\u202e/);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['plain', 'install'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(xenorat, bytes);
        }),
        fuzzSettings(),
      );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { Subject } from '../../subject.ts';
import { hasName } from '../dotnet-settings/metadata-probes.ts';
import { redline } from './redline.ts';

const sample = (name: string) => fixture(`analysis/families/redline-${name}.exe`);
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const Authorization = '0123456789abcdef0123456789abcdef';
const KEY = 'Scrabbled';

function encrypted(text: string): string {
  const inner = Buffer.from(text).toString('base64');
  const bytes = Buffer.from(inner).map((byte, at) => byte ^ KEY.charCodeAt(at % KEY.length));
  return Buffer.from(bytes).toString('base64');
}

/** The fixture with another encoded address. */
const withAddress = (value: string) =>
  withLiterals(sample('sealed'), { [encrypted('192.0.2.44:38521')]: value });

describe('settings of RedLine', () => {
  it('are decoded with their key', () => {
    assert.deepEqual(extracted(redline, sample('sealed')), {
      version: '1',
      campaign: ['campaign one'],
      endpoints: [c2('192.0.2.44', 38_521)],
      other: { 'XOR Key': KEY, Authorization },
      offset: 747,
    });
  });

  it('are found by their decoded form if names are obfuscated, with several addresses', () => {
    assert.deepEqual(extracted(redline, sample('nameless')), {
      version: undefined,
      campaign: ['@cloud'],
      endpoints: [
        c2('one.example.invalid', 6_677),
        c2('2001:db8::44', 6_678),
        c2('203.0.113.9', 80),
      ],
      other: { Message: 'Missing library', 'XOR Key': 'Schlüssel' },
      offset: 759,
    });
  });

  it('are decoded with `string.Empty` in place of an empty literal', () => {
    assert.deepEqual(extracted(redline, sample('optimized')), extracted(redline, sample('sealed')));
  });

  it('are decoded if WCF is not named: by the names of the fields, or if two values decode', () => {
    for (const name of ['reflection', 'reflection-nameless', 'lookalike'])
      assert.equal(
        hasName(new Subject(sample(name), 'sample'), 'System.ServiceModel'),
        false,
        name,
      );
    assert.deepEqual(extracted(redline, sample('reflection')), {
      version: '1',
      campaign: ['campaign one'],
      endpoints: [c2('192.0.2.44', 38_521)],
      other: { 'XOR Key': KEY, Authorization },
      offset: 739,
    });
    const nameless = extracted(redline, sample('reflection-nameless'));
    assert.ok(nameless !== undefined && 'endpoints' in nameless);
    assert.deepEqual(nameless.campaign, ['@cloud']);
    assert.equal(nameless.endpoints.length, 3);
    assert.equal(extracted(redline, sample('lookalike')), undefined);
  });

  it('are read if plain', () => {
    assert.deepEqual(extracted(redline, sample('plain')), {
      version: '1',
      campaign: ['plain'],
      endpoints: [c2('198.51.100.44', 1_912)],
      other: { Message: 'Hello', Authorization },
      heuristic: true,
      offset: 705,
    });
  });

  it('are read from literals if no field holds them', () => {
    assert.deepEqual(extracted(redline, sample('literals')), {
      version: undefined,
      campaign: ['campaign one'],
      endpoints: [c2('192.0.2.44', 38_521)],
      other: { 'XOR Key': KEY, Authorization },
      offset: 2_006,
    });
    assert.deepEqual(extracted(redline, sample('literals-plain')), {
      version: undefined,
      campaign: ['plain'],
      endpoints: [c2('198.51.100.45', 1_912)],
      other: { Authorization },
      heuristic: true,
      offset: 1_940,
    });
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(redline, sample('template')), {
      unread: 'template that was never built',
      offset: 705,
    });
  });

  it('are not read if a character of the address is wrong, or the file is truncated', () => {
    assert.equal(extracted(redline, sample('damaged')), undefined);
    const whole = sample('sealed');
    const key = whole.indexOf(Buffer.from(KEY, 'utf16le'));
    assert.equal(extracted(redline, whole.subarray(0, key + 4)), undefined);
  });

  it('are not read if they do not decode to an address', () => {
    for (const text of ['no address', '192.0.2.44', '192.0.2.44:0', 'host:80', 'a.invalid:99999'])
      assert.equal(extracted(redline, withAddress(encrypted(text))), undefined, text);
  });

  it('are not read from plain fields with the same names alone', () => {
    for (const name of ['plain', 'template']) {
      const other = withLiterals(sample(name), { [Authorization]: 'Bearer' });
      assert.equal(extracted(redline, other), undefined, name);
    }
  });

  it('are not read from plain fields and an authorization header of a program without WCF', () => {
    for (const name of ['plain', 'template']) {
      const other = sample(name);
      assert.notEqual(extracted(redline, other), undefined, name);
      while (other.includes('System.ServiceModel'))
        other.write('Custom', other.indexOf('System.ServiceModel'));
      assert.equal(extracted(redline, other), undefined, name);
    }
  });

  it('are read if plain and without a key, with and without names, near the anchor only', () => {
    for (const name of ['keyless', 'keyless-nameless']) {
      assert.deepEqual(extracted(redline, sample(name)), {
        version: undefined,
        campaign: ['keyless'],
        endpoints: [c2('198.51.100.46', 1_912), c2('two.example.invalid', 80)],
        other: { Message: 'Hello' },
        heuristic: true,
        offset: 706,
      });
      const other = withLiterals(sample(name), {
        'Yandex\\YaAddon': 'Authorization',
        settings: '0123456789abcdef0123456789abcdef',
      });
      assert.equal(extracted(redline, other), undefined, name);
    }
  });

  it('are not read from plain literals far from the anchor, or without an authorization', () => {
    for (const changes of [{ 'Yandex\\YaAddon': 'Yandex' }, { [Authorization]: 'ns2' }]) {
      const literals = withLiterals(sample('literals-plain'), changes);
      assert.equal(extracted(redline, literals), undefined);
    }
  });

  it('are not read if plain and nameless from a tool that contains the anchor, without WCF', () => {
    for (const name of ['keyless-nameless', 'literals-plain']) {
      const tool = sample(name);
      while (tool.includes('System.ServiceModel'))
        tool.write('Custom', tool.indexOf('System.ServiceModel'));
      assert.equal(extracted(redline, tool), undefined, name);
    }
  });

  it('keep the addresses of a list, at most a thousand', () => {
    const list = 'a.invalid:1|junk|net.tcp://b.invalid:2/|';
    const found = extracted(redline, withAddress(encrypted(list)));
    assert.deepEqual(found && 'endpoints' in found && found.endpoints, [
      c2('a.invalid', 1),
      c2('b.invalid', 2),
    ]);
    const many = extracted(redline, withAddress('a.invalid:1|'.repeat(1_000_000)));
    assert.equal(many && 'endpoints' in many && many.endpoints.length, 1_000);
  });

  it('contain no invisible character and no unlimited text', () => {
    const found = extracted(
      redline,
      withLiterals(sample('plain'), { plain: '__proto__\u0007', Hello: '\u202e'.repeat(100_000) }),
    );
    assert.doesNotMatch(JSON.stringify(found), /\u202e|\\u0007/);
    assert.ok(JSON.stringify(found).length < 10_000);
  });

  it('take little time with values and keys that nearly match', () => {
    const nearly = Buffer.from('A'.repeat(180_000)).toString('base64');
    const spent = startStopwatch();
    const hostile = withLiterals(sample('nameless'), {
      'user.config': nearly,
      Schlüssel: '\u0000\u0001'.repeat(100_000),
    });
    assert.equal(extracted(redline, hostile), undefined);
    assert.ok(spent() < 25_000);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(redline, sample('sealed'), { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['sealed', 'nameless', 'literals'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(redline, bytes);
        }),
        fuzzSettings(),
      );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { redline } from './redline.ts';

const sample = (name: string) => fixture(`analysis/families/redline-${name}.exe`);
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const Authorization = '0123456789abcdef0123456789abcdef';
const KEY = 'Scrabbled';

function sealed(text: string): string {
  const inner = Buffer.from(text).toString('base64');
  const bytes = Buffer.from(inner).map((byte, at) => byte ^ KEY.charCodeAt(at % KEY.length));
  return Buffer.from(bytes).toString('base64');
}

/** The fixture with another value in the place of its sealed address. */
const withAddress = (value: string) =>
  withLiterals(sample('sealed'), { [sealed('192.0.2.44:38521')]: value });

describe('settings of RedLine', () => {
  it('are opened with the key beside them', () => {
    assert.deepEqual(extracted(redline, sample('sealed')), {
      version: '1',
      campaign: ['campaign one'],
      endpoints: [c2('192.0.2.44', 38_521)],
      other: { 'XOR Key': KEY, Authorization },
      offset: 747,
    });
  });

  it('are found by what they open to where names are gone, several addresses among them', () => {
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

  it('are read where they are plain', () => {
    assert.deepEqual(extracted(redline, sample('plain')), {
      version: '1',
      campaign: ['plain'],
      endpoints: [c2('198.51.100.44', 1_912)],
      other: { Message: 'Hello', Authorization },
      offset: 705,
    });
  });

  it('are read among the literals where no field holds them', () => {
    assert.deepEqual(extracted(redline, sample('literals')), {
      version: undefined,
      campaign: ['campaign one'],
      endpoints: [c2('192.0.2.44', 38_521)],
      other: { 'XOR Key': KEY, Authorization },
      offset: 2_016,
    });
    assert.deepEqual(extracted(redline, sample('literals-plain')), {
      version: undefined,
      campaign: ['plain'],
      endpoints: [c2('198.51.100.45', 1_912)],
      other: { Authorization },
      offset: 1_940,
    });
  });

  it('are not there in a template', () => {
    assert.deepEqual(extracted(redline, sample('template')), {
      unread: 'template that was never built',
      offset: 705,
    });
  });

  it('are none where a sign of the sealed address is another, or the file is cut', () => {
    assert.equal(extracted(redline, sample('damaged')), undefined);
    const whole = sample('sealed');
    const key = whole.indexOf(Buffer.from(KEY, 'utf16le'));
    assert.equal(extracted(redline, whole.subarray(0, key + 4)), undefined);
  });

  it('are none where they open to something that is no address', () => {
    for (const text of ['no address', '192.0.2.44', '192.0.2.44:0', 'host:80', 'a.invalid:99999'])
      assert.equal(extracted(redline, withAddress(sealed(text))), undefined, text);
  });

  it('are none where plain fields have the same names, and nothing else is of the family', () => {
    for (const name of ['plain', 'template']) {
      const other = withLiterals(sample(name), { [Authorization]: 'Bearer' });
      assert.equal(extracted(redline, other), undefined, name);
    }
  });

  it('are read where they are plain and have no key, with names or without, but beside the anchor alone', () => {
    for (const name of ['keyless', 'keyless-nameless']) {
      assert.deepEqual(extracted(redline, sample(name)), {
        version: undefined,
        campaign: ['keyless'],
        endpoints: [c2('198.51.100.46', 1_912), c2('two.example.invalid', 80)],
        other: { Message: 'Hello' },
        offset: 706,
      });
      const other = withLiterals(sample(name), {
        'Yandex\\YaAddon': 'Authorization',
        settings: '0123456789abcdef0123456789abcdef',
      });
      assert.equal(extracted(redline, other), undefined, name);
    }
  });

  it('are none where plain literals stand far from the anchor', () => {
    const literals = withLiterals(sample('literals-plain'), { 'Yandex\\YaAddon': 'Yandex' });
    assert.equal(extracted(redline, literals), undefined);
  });

  it('keep what is an address of a list, and no more than a thousand', () => {
    const list = 'a.invalid:1|junk|net.tcp://b.invalid:2/|';
    const found = extracted(redline, withAddress(sealed(list)));
    assert.deepEqual(found && 'endpoints' in found && found.endpoints, [
      c2('a.invalid', 1),
      c2('b.invalid', 2),
    ]);
    const many = extracted(redline, withAddress('a.invalid:1|'.repeat(1_000_000)));
    assert.equal(many && 'endpoints' in many && many.endpoints.length, 1_000);
  });

  it('hold no text that is invisible or without end', () => {
    const found = extracted(
      redline,
      withLiterals(sample('plain'), { plain: '__proto__\u0007', Hello: '\u202e'.repeat(100_000) }),
    );
    assert.doesNotMatch(JSON.stringify(found), /\u202e|\\u0007/);
    assert.ok(JSON.stringify(found).length < 10_000);
  });

  it('are tried in time with values and keys that nearly fit', () => {
    const nearly = Buffer.from('A'.repeat(180_000)).toString('base64');
    const spent = startStopwatch();
    const hostile = withLiterals(sample('nameless'), {
      'user.config': nearly,
      Schlüssel: '\u0000\u0001'.repeat(100_000),
    });
    assert.equal(extracted(redline, hostile), undefined);
    assert.ok(spent() < 25_000);
  });

  it('are given up when time is over', () => {
    assert.equal(extracted(redline, sample('sealed'), { isOver: () => true }), undefined);
  });

  it('are looked for in hostile files without harm', () => {
    for (const name of ['sealed', 'nameless', 'literals'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(redline, bytes);
        }),
        fuzzSettings(),
      );
  });
});

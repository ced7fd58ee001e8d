import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { njrat } from './njrat.ts';

const sample = (name: string) => fixture(`analysis/families/njrat-${name}.exe`);
const plain = sample('plain');
const read = (bytes: Buffer) => {
  const found = extracted(njrat, bytes);
  assert.ok(found !== undefined && 'endpoints' in found);
  return found;
};

const common = {
  version: '0.7d',
  campaign: ['HacKed'],
  mutex: ['5cd8f17f4086744065eb0992a09e05a2'],
  other: {
    'Install Folder': 'TEMP',
    'Install File': 'server.exe',
    'Registry Value': '5cd8f17f4086744065eb0992a09e05a2',
    Delimiter: "|'|'|",
  },
};
const c2 = (host: string, port: number) => ({ protocol: 'tcp', usage: 'c2', host, port });

describe('settings of njRAT', () => {
  it('are read by the names of their fields', () => {
    assert.deepEqual(extracted(njrat, plain), {
      ...common,
      endpoints: [c2('njrat.example.invalid', 5552)],
      capabilities: ['SETTING_INSTALL'],
      offset: 725,
    });
  });

  it('are read if letters were replaced before base64, each host with each port', () => {
    assert.deepEqual(extracted(njrat, sample('replaced')), {
      ...common,
      version: 'im523',
      endpoints: ['192.0.2.17', 'two.example.invalid', '2001:db8::17'].flatMap((host) => [
        c2(host, 5552),
        c2(host, 1177),
      ]),
      capabilities: ['SETTING_CRITICAL_PROCESS'],
      offset: 761,
    });
  });

  it('include the dead drop, even from a reversed URL', () => {
    assert.deepEqual(extracted(njrat, sample('backwards')), {
      ...common,
      version: '0.7NC',
      endpoints: [
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/raw/abcdef' },
      ],
      other: { ...common.other, Delimiter: '@!#&^%$' },
      capabilities: ['SETTING_INSTALL', 'SETTING_DEAD_DROP'],
      offset: 725,
    });
  });

  it('are reversed if the program reverses them', () => {
    assert.deepEqual(read(sample('turned')).endpoints, [c2('njrat.example.invalid', 5552)]);
  });

  it('are read by their order if names are obfuscated', () => {
    assert.deepEqual(extracted(njrat, sample('nameless')), {
      ...common,
      endpoints: [c2('198.51.100.7', 5552)],
      capabilities: [],
      offset: 717,
    });
  });

  it('are read in alphabetical order, and from the source of the host, with and without names', () => {
    const found = {
      ...common,
      version: 'im523',
      endpoints: [c2('192.0.2.18', 5552), c2('two.example.invalid', 5552)],
      offset: 739,
    };
    assert.deepEqual(read(sample('alphabet')), { ...found, capabilities: ['SETTING_INSTALL'] });
    assert.deepEqual(read(sample('alphabet-nameless')), { ...found, capabilities: [] });
  });

  it('are not read if only a part of the host is in the program', () => {
    assert.equal(extracted(njrat, sample('joined')), undefined);
  });

  it('are those of the class that the program uses', () => {
    assert.deepEqual(read(sample('decoy')).endpoints, [c2('njrat.example.invalid', 5552)]);
  });

  it('are not read if a method of the program changes the host, or other code replaces it', () => {
    for (const name of ['rotated', 'later'])
      assert.equal(extracted(njrat, sample(name)), undefined, name);
    // The method of the fixture decodes neither base64 nor a reversed address, but others do.
    const encoded = Buffer.from('njrat.example.invalid').toString('base64');
    const hidden = withLiterals(sample('rotated'), { 'aweng.rknzcyr.vainyvq': encoded });
    assert.deepEqual(read(hidden).endpoints, [c2('njrat.example.invalid', 5552)]);
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(njrat, sample('template')), {
      unread: 'template that was never built',
      offset: 725,
    });
  });

  it('are not read if the host or port is damaged, or the file is truncated', () => {
    assert.equal(extracted(njrat, sample('damaged')), undefined);
    for (const port of ['0', '65536', '-1', '5552x', ''])
      assert.equal(extracted(njrat, withLiterals(plain, { '5552': port })), undefined);
    const host = plain.indexOf(Buffer.from('njrat.example', 'utf16le'));
    assert.equal(extracted(njrat, plain.subarray(0, host + 20)), undefined);
    // Without the name of `StrReverse`, the host would be reported backwards.
    assert.equal(extracted(njrat, sample('turned').subarray(0, 2_208)), undefined);
  });

  it('are not read by order if one value has an unexpected form', () => {
    const nameless = sample('nameless');
    for (const [from, to] of [
      ['SGFjS2Vk', 'no base64'],
      ['0.7d', '9.9'],
      ['server.exe', 'server'],
      ['TEMP', 'folder'],
      ['5cd8f17f4086744065eb0992a09e05a2', 'abc'],
      ['5552', 'port'],
    ] as const)
      assert.equal(extracted(njrat, withLiterals(nameless, { [from]: to })), undefined, from);
  });

  it('keep the text of a host, with its own port if it has one', () => {
    const hosts = 'Mixed.Example.invalid:81;[2001:db8::1]:82 | 192.0.2.1';
    assert.deepEqual(read(withLiterals(plain, { 'njrat.example.invalid': hosts })).endpoints, [
      c2('Mixed.Example.invalid', 81),
      c2('2001:db8::1', 82),
      c2('192.0.2.1', 5552),
    ]);
  });

  it('stay bounded with a million hosts and as many ports', () => {
    const hosts = 'a.invalid,'.repeat(1_000_000);
    const spent = startStopwatch();
    const ports = '1,'.repeat(1_000_000);
    const found = read(withLiterals(plain, { 'njrat.example.invalid': hosts, '5552': ports }));
    assert.equal(found.endpoints.length, 1_000);
    assert.ok(spent() < 25_000);
  });

  it('stay bounded with replacements that make the host grow', () => {
    const replaced = sample('replaced');
    const hidden = 'MTkyL'.repeat(200_000);
    const { '!@': from, M: to } = { '!@': 'M', M: 'M'.repeat(1_000_000) };
    const host = Buffer.from('192.0.2.17,two.example.invalid,2001:db8::17')
      .toString('base64')
      .replaceAll('M', '!@');
    const spent = startStopwatch();
    const hostile = withLiterals(replaced, { [host]: hidden, '!@': from, M: to });
    assert.equal(extracted(njrat, hostile), undefined);
    assert.ok(spent() < 25_000);
  });

  it('contain no invisible character and no unlimited text', () => {
    const found = read(
      withLiterals(plain, {
        SGFjS2Vk: `__proto__\u0000\u202e${'x'.repeat(100_000)}`,
        'server.exe': '\u001b[31m<script>',
      }),
    );
    assert.ok((found.campaign?.[0]?.length ?? 0) < 1_000);
    assert.doesNotMatch(JSON.stringify(found), /[\u202e]|\\u001b|\\u0000/);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(njrat, sample('nameless'), { isOver: () => true }), undefined);
  });

  it('stop between the forms of a host when the time budget is used up', () => {
    let looks = 0;
    const isOver = () => ++looks > 3;
    const hidden = sample('replaced');
    assert.ok(extracted(njrat, hidden) !== undefined);
    assert.equal(extracted(njrat, hidden, { isOver }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['plain', 'replaced', 'nameless'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(njrat, bytes);
        }),
        fuzzSettings(),
      );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type RecordedFindings, recordFindings } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { Subject } from '../../subject.ts';
import { constantsOf, userStrings } from './constants.ts';
import { dotnet } from './dotnet.ts';
import { parseDotnet } from './file.ts';

function inspect(bytes: Buffer): RecordedFindings {
  const findings = recordFindings();
  const subject = new Subject(bytes, 'sample.exe');
  if (dotnet.matches(subject)) void dotnet.inspect(subject, findings);
  return findings;
}

const settings = fixture('analysis/dotnet/settings');
const loader = fixture('analysis/dotnet/loader');

/** A copy with bytes overwritten. */
function patched(bytes: Buffer, at: number, change: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  change.copy(copy, at);
  return copy;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Offset of the row counts in the table stream. */
function rowCountsAt(bytes: Buffer): number {
  const stream = parseDotnet(bytes)?.metadata.streams.find(({ name }) => name === '#~');
  return (stream?.offset ?? 0) + 24;
}

describe('the format dotnet', () => {
  it('matches .NET files only', () => {
    assert.ok(dotnet.matches(new Subject(settings, '')));
    assert.ok(!dotnet.matches(new Subject(Buffer.from('MZ'.padEnd(512, '\0')), '')));
    assert.ok(!dotnet.matches(new Subject(Buffer.alloc(0), '')));
  });

  it('describes the assembly and its references', () => {
    const { allFacts, tags } = inspect(settings);
    assert.equal(allFacts['assembly'], 'settings');
    assert.equal(allFacts['version'], '1.2.3.4');
    assert.equal(allFacts['runtime'], 'v4.0.30319');
    assert.equal(allFacts['entryPoint'], 'Client.Program::Main');
    assert.deepEqual(allFacts['references'], ['mscorlib 4.0.0.0']);
    assert.deepEqual(allFacts['platformCalls'], ['user32.dll!GetForegroundWindow']);
    assert.deepEqual([...tags.keys()], ['DOTNET']);
  });

  it('tags the traits of a loader', () => {
    const { tags } = inspect(loader);
    assert.deepEqual([...tags.keys()].sort(), [
      'AMSI_BYPASS',
      'DOTNET',
      'DOTNET_OBFUSCATED',
      'DOTNET_REFLECTION_LOAD',
      'DOTNET_RESOURCE_PE',
      'PINVOKE_INJECTION',
    ]);
    assert.equal(tags.get('DOTNET_OBFUSCATED')?.note, 'ConfuserEx');
  });

  it('nests resources, including those in a *.resources', () => {
    const { nested } = inspect(loader);
    assert.deepEqual(
      nested.map(({ name }) => name),
      [
        'inner.bin',
        'note.txt',
        'Loader.values.resources/payload',
        'Loader.values.resources/stream',
      ],
    );
    assert.equal(nested[0]?.bytes.compare(settings), 0);
  });

  it('nests nothing beyond the budget', () => {
    const findings = recordFindings({ members: 1 });
    void dotnet.inspect(new Subject(loader, ''), findings);
    assert.equal(findings.nested.length, 1);
    assert.deepEqual(findings.limits, ['members']);
  });

  it('tags unreadable names', () => {
    const hidden = Buffer.from(settings);
    for (const name of [
      'Hosts',
      'Ports',
      'Nothing',
      'Umlauts',
      'Delay',
      'Negative',
      'Small',
      'Large',
      'Ratio',
      'Install',
      'Salt',
      'Numbers',
      'Decoded',
    ]) {
      hidden.fill(
        '\u0001',
        hidden.indexOf(`\0${name}\0`) + 1,
        hidden.indexOf(`\0${name}\0`) + 1 + name.length,
      );
    }
    assert.match(inspect(hidden).tags.get('DOTNET_OBFUSCATED')?.note ?? '', /^\d+ of \d+ names/);
  });
});

describe('hostile .NET files', () => {
  it('with billions of rows are read up to the end', () => {
    for (let table = 0; table < 8; table += 1) {
      const { tags } = inspect(
        patched(settings, rowCountsAt(settings) + table * 4, u32(0xffffffff)),
      );
      assert.ok(tags.has('MALFORMED_DOTNET'));
    }
  });

  it('with streams beyond the file are tagged', () => {
    const at = settings.indexOf('#Strings\0') - 4;
    const { tags, allFacts } = inspect(patched(settings, at, u32(0x7fffffff)));
    assert.ok(tags.has('MALFORMED_DOTNET'));
    assert.equal(allFacts['assembly'], 'settings');
  });

  it('with a header but without metadata are tagged malformed', () => {
    const { tags } = inspect(patched(settings, settings.indexOf('BSJB'), Buffer.from('XXXX')));
    assert.deepEqual([...tags.keys()], ['MALFORMED_DOTNET']);
  });

  it('with 65,535 streams are bounded', () => {
    const at = settings.indexOf('#~\0\0') - 10;
    const { tags } = inspect(patched(settings, at, Buffer.from([0xff, 0xff])));
    assert.ok(tags.has('MALFORMED_DOTNET'));
  });

  it('of any kind do not make the parser or its users fail', () => {
    for (const good of [settings, loader]) {
      fc.assert(
        fc.property(hostileVariants(good), (bytes) => {
          inspect(bytes);
          const file = parseDotnet(bytes);
          if (file === undefined) return;
          constantsOf(file, () => true);
          userStrings(file);
        }),
        fuzzSettings(),
      );
    }
  });

  it('with damaged metadata do not make the parser or its users fail', () => {
    const from = settings.indexOf('BSJB');
    fc.assert(
      fc.property(hostileVariants(settings.subarray(from, from + 600)), (damage) => {
        const bytes = patched(settings, from, damage);
        inspect(bytes);
        const file = parseDotnet(bytes);
        if (file !== undefined) constantsOf(file, () => true);
      }),
      fuzzSettings(),
    );
  });
});

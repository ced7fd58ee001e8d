import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { parseDotnet } from '../../formats/dotnet/file.ts';
import { Subject } from '../../subject.ts';
import { type DotnetSettings, settingsOf, textFields } from './dotnet-settings.ts';
import { hasName, isDotnet } from './metadata-probes.ts';

const subjectOf = (name: string) => new Subject(fixture(`analysis/${name}`), name);

function settingsIn(name: string): DotnetSettings {
  const settings = settingsOf(subjectOf(name));
  assert.ok(settings);
  return settings;
}

describe('settings of .NET programs', () => {
  it('are grouped by constructor, with fields in order', () => {
    const { blocks } = settingsIn('dotnet/settings');
    assert.deepEqual(
      blocks.map(({ type, kind }) => [type, kind]),
      [
        ['Client.Settings', 'cctor'],
        ['Client.Derived', 'ctor'],
        ['Client.Derived/Inner', 'cctor'],
      ],
    );
    assert.deepEqual(
      blocks[0]?.fields.slice(0, 3).map(({ field }) => field),
      ['Hosts', 'Ports', 'Nothing'],
    );
  });

  it('have a text only if no unknown call changes it', () => {
    const [block] = settingsIn('dotnet/settings').blocks;
    assert.ok(block);
    assert.deepEqual(
      textFields(block).map(({ field }) => field),
      ['Hosts', 'Ports', 'Umlauts'],
    );
  });

  it('have an empty text for String.Empty', () => {
    const [block] = settingsIn('families/quasar-template.exe').blocks;
    assert.equal(block?.fields.find(({ field }) => field === 'HOSTS')?.value, '');
  });

  it('include literals and resources, even those in a container', () => {
    const settings = settingsIn('dotnet/loader');
    const names = settings.resources.map(({ name }) => name);
    assert.ok(names.includes('inner.bin') && names.includes('Loader.values.resources'));
    assert.ok(names.length > 3);
    assert.ok(settings.strings.length > 0);
  });

  it('are not read if a literal, a name or a table is cut', () => {
    const bytes = fixture('analysis/dotnet/settings');
    const streams = new Subject(bytes, 'whole').as(parseDotnet)?.metadata.streams ?? [];
    const cut = (length: number) => settingsOf(new Subject(bytes.subarray(0, length), 'cut'));
    const ends = streams
      .filter(({ name }) => name !== '#GUID')
      .map(({ offset, size }) => offset + size);
    assert.equal(ends.length, 4);
    for (const end of ends) assert.equal(cut(end - 1), undefined);
    assert.ok(cut(Math.max(...ends)));
  });

  it('are read once', () => {
    const subject = subjectOf('dotnet/settings');
    assert.equal(settingsOf(subject), settingsOf(subject));
    assert.equal(settingsOf(subject)?.blocks, settingsOf(subject)?.blocks);
  });
});

describe('metadata probes', () => {
  const settings = subjectOf('dotnet/settings');

  it('recognise .NET programs', () => {
    assert.equal(isDotnet(settings), true);
    assert.equal(isDotnet(subjectOf('pe/hello32')), false);
    assert.equal(settingsOf(subjectOf('pe/hello32')), undefined);
    assert.equal(hasName(subjectOf('pe/hello32'), 'Main'), false);
  });

  it('find names by their ending, and no others', () => {
    assert.equal(hasName(settings, 'Rfc2898DeriveBytes'), true);
    assert.equal(hasName(settings, 'DeriveBytes'), true);
    assert.equal(hasName(settings, 'Rfc2898Derive'), false);
    assert.equal(hasName(settings, 'Absent', 'Hosts'), true);
  });

  it('find nothing in a program without metadata', () => {
    const bytes = Buffer.from(settings.bytes);
    bytes.write('XXXX', bytes.indexOf('BSJB'), 'latin1');
    const subject = new Subject(bytes, 'sample');
    assert.equal(isDotnet(subject), true);
    assert.equal(hasName(subject, 'Hosts'), false);
    assert.equal(settingsOf(subject), undefined);
  });
});

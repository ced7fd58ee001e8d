import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReportFound, SampleFound, Service } from '../../../../src/client/wire.ts';
import { suggestionsOf } from './suggestions.ts';

const service = (slug: string, name: string) => ({ slug, name }) as Service;
const found = (c2Address: string, tags: readonly string[]) =>
  ({
    type: 'report',
    match: 'text',
    report: {
      c2Address,
      tags,
      name: 'LANTERN',
      reportedBy: 'lana',
      service: 'ply',
      status: 'open',
    },
  }) as unknown as ReportFound;
const sample = (fileName: string) =>
  ({
    type: 'sample',
    match: 'name',
    sha256Hash: 'a'.repeat(64),
    fileName,
    tags: [],
  }) as SampleFound;

const shown = (text: string, known: Partial<Parameters<typeof suggestionsOf>[1]> = {}) =>
  suggestionsOf(text, { services: [], results: [], ...known }).map(({ title, suggestions }) => [
    title,
    ...suggestions.map((one) => [one.text, one.note].filter(Boolean).join(' | ')),
  ]);

describe('suggestions', () => {
  it('are none for nothing', () => assert.deepEqual(shown('  '), []));

  it('begin with the page of a hash, and its price', () =>
    assert.deepEqual(shown('AB'.repeat(32))[0], ['File', 'abababab…abababab | costs one unit']));

  it('begin with the page of a defanged address', () =>
    assert.deepEqual(shown('hxxp://evil[.]example:80/x')[0], ['C2', 'evil[.]example:80']));

  it('name the feeds, tags, families and accounts that begin with the text', () =>
    assert.deepEqual(
      shown('lan', {
        services: [service('lan-host', 'LAN Hosting'), service('ply', 'Ply')],
        results: [found('a.example:1', ['lantern', 'rat']), found('a.example:1', ['Lantern'])],
      }),
      [
        ['Feeds', 'LAN Hosting | lan-host'],
        ['Tags, families and accounts', 'lantern | tag', 'LANTERN | family', 'lana | account'],
        ['C2 addresses', 'a[.]example:1 | ply · open'],
        ['Search', 'All results for “lan”'],
      ],
    ));

  it('do not call the first tag a family, or a report without a name', () => {
    const named = (name: string, tags: readonly string[]): ReportFound => {
      const one = found('a.example:1', tags);
      return { ...one, report: { ...one.report, name } };
    };
    const words = (text: string, report: ReportFound) => shown(text, { results: [report] })[0];
    assert.deepEqual(words('phi', named('phishing', ['phishing', 'rat'])), [
      'Tags, families and accounts',
      'phishing | tag',
    ]);
    assert.equal(words('unk', named('unknown', []))?.[0], 'C2 addresses');
  });

  it('show hostile names as inert text of bounded length', () => {
    const [, text = ''] = shown('x', { results: [sample(`\u202e${'x'.repeat(70_000)}`)] })[0] ?? [];
    assert.ok(text.startsWith('⟨U+202E⟩'));
    assert.ok(text.length < 100);
  });
});

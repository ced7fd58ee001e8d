import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from './collection.ts';
import type { Extraction, Extractor, Recognition } from './extractors/extractor.ts';
import { FamilySettings } from './family-settings.ts';
import { Subject } from './subject.ts';
import { rankTags } from './tags.ts';

const LATER = Number.POSITIVE_INFINITY;
const file = new Subject(Buffer.from('a file'), 'file');
const member = new Subject(Buffer.from('a member'), 'member', 'file → member', 1);

function extractorOf(
  found: Extraction | Recognition | undefined,
  members: Partial<Extractor> = {},
): Extractor {
  return { family: 'lantern', pages: {}, matches: () => true, extract: () => found, ...members };
}

function look(...looks: readonly (readonly [subject: Subject, extractor: Extractor])[]) {
  const collection = new Collection(LATER);
  const settings = new FamilySettings(collection);
  for (const [subject, extractor] of looks) settings.run(subject, extractor);
  const { configs, c2s } = settings;
  const tags = rankTags(collection.evidence).map(({ heat, name }) => `${heat} ${name}`);
  return { configs, c2s, tags, evidence: collection.evidence };
}

const C2 = { protocol: 'tcp', usage: 'c2', host: 'C2.example.invalid', port: 4444 } as const;
const DECODED: Extraction = { version: '1.2', endpoints: [C2], offset: 2 };

describe('settings that were decoded', () => {
  it('name the family at heat 10, with their place, and stand under its name', () => {
    const { tags, configs, c2s, evidence } = look([file, extractorOf(DECODED)]);
    assert.deepEqual(tags, ['10 LANTERN']);
    assert.deepEqual(evidence, [
      { tag: 'LANTERN', heat: 10, source: 'extractor:lantern', offset: 2 },
    ]);
    assert.deepEqual(configs, {
      LANTERN: { C2s: 'C2.example.invalid', Ports: '4444', Version: '1.2' },
    });
    assert.deepEqual(c2s, [{ host: 'c2.example.invalid', port: 4444, family: 'LANTERN' }]);
  });

  it('may be those of another family of the same layout', () => {
    const found = look([file, extractorOf({ ...DECODED, family: 'paper kite' })]);
    assert.deepEqual(found.tags, ['10 PAPER_KITE']);
    assert.deepEqual(Object.keys(found.configs), ['PAPER_KITE']);
    assert.equal(found.c2s[0]?.family, 'PAPER_KITE');
    assert.equal(found.evidence[0]?.source, 'extractor:lantern');
  });

  it('give the category and what they switch on, as hot as the extractor declares', () => {
    const tags = { KEYLOGGER: [6, 'Writes down keys'], BOLD: [10, 'Too hot'] } as const;
    const extractor = extractorOf(
      { ...DECODED, capabilities: ['KEYLOGGER', 'BOLD', 'BOLD'] },
      { category: 'RAT', tags },
    );
    const found = look([file, extractor]);
    assert.deepEqual(found.tags, ['10 LANTERN', '8 BOLD', '6 KEYLOGGER', '1 RAT']);
    assert.equal(found.evidence.length, 4);
  });

  it('switch on nothing that was not declared', () => {
    const extractor = extractorOf({ ...DECODED, capabilities: ['toString'] }, { tags: {} });
    assert.throws(() => look([file, extractor]), /no tag of lantern/);
  });

  it('that are only likely name the family at heat 9, and say so', () => {
    const found = look([file, extractorOf({ ...DECODED, heuristic: true })]);
    assert.deepEqual(found.tags, ['9 LANTERN']);
    assert.match(found.evidence[0]?.note ?? '', /heuristics/);
    assert.equal(found.configs['LANTERN']?.['Certainty'], 'heuristic');
  });

  it('name no family where the finder knows none', () => {
    const found = look([
      file,
      extractorOf(DECODED, { family: 'generic', namesFamily: false, category: 'STEALER' }),
    ]);
    assert.deepEqual(found.tags, ['1 STEALER']);
    assert.deepEqual(Object.keys(found.configs), ['GENERIC']);
  });

  it('are not found once more by a finder that knows no family', () => {
    const finder = extractorOf(DECODED, { family: 'generic', namesFamily: false });
    const both = look([file, extractorOf(DECODED)], [file, finder]);
    assert.deepEqual(Object.keys(both.configs), ['LANTERN']);
    const apart = look([file, extractorOf(DECODED)], [member, finder]);
    assert.deepEqual(Object.keys(apart.configs), ['LANTERN', 'GENERIC']);
  });

  it('are told once for a family, the first of them; their addresses all, each once', () => {
    const second = { ...DECODED, version: '9', endpoints: [C2, { ...C2, port: 5555 }] };
    const found = look([file, extractorOf(DECODED)], [member, extractorOf(second)]);
    assert.equal(found.configs['LANTERN']?.['Version'], '1.2');
    assert.deepEqual(
      found.c2s.map(({ port }) => port),
      [4444, 5555],
    );
    assert.equal(found.evidence[1]?.member, 'file → member');
  });

  it('are no addresses where they are for something else, or none at all', () => {
    const endpoints = [
      { ...C2, usage: 'dead-drop' },
      { ...C2, usage: 'upload' },
      { ...C2, host: '%Hosts%' },
      { ...C2, port: 0 },
      { protocol: 'https', usage: 'c2', url: 'not a url' },
    ] as const;
    const { c2s, configs } = look([file, extractorOf({ endpoints })]);
    assert.deepEqual(c2s, []);
    assert.equal(configs['LANTERN']?.['C2s'], '%Hosts%, C2.example.invalid, not a url');
  });

  it('without a single one leave no empty list behind', () => {
    assert.deepEqual(look([file, extractorOf({ endpoints: [] })]).configs, {});
  });
});

describe('a family that was only recognised', () => {
  it('is named at heat 9, with why there are no settings', () => {
    const found = look([
      file,
      extractorOf({ unread: 'template that was never built', offset: 1 }, { category: 'RAT' }),
    ]);
    assert.deepEqual(found.tags, ['9 LANTERN', '1 RAT']);
    assert.deepEqual(found.evidence[0], {
      tag: 'LANTERN',
      heat: 9,
      source: 'extractor:lantern',
      offset: 1,
      note: 'template that was never built',
    });
    assert.deepEqual([found.configs, found.c2s], [{}, []]);
  });
});

describe('an extractor', () => {
  it('is not asked for what it does not want', () => {
    const extractor = extractorOf(DECODED, { matches: () => false });
    assert.deepEqual(look([file, extractor]).tags, []);
  });

  it('may find nothing', () => {
    assert.deepEqual(look([file, extractorOf(undefined)]).tags, []);
  });

  it('is told how much may be unpacked, and when time is over', () => {
    const seen: unknown[] = [];
    const extractor = extractorOf(undefined, {
      extract(_, budget) {
        seen.push(budget.isOver(), budget.takeBytes(1), budget.bytesLeft > 0);
        return undefined;
      },
    });
    look([file, extractor]);
    assert.deepEqual(seen, [false, true, true]);
  });
});

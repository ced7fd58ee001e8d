import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Collection } from './collection.ts';
import type { Extraction, Extractor, Recognition } from './extractors/extractor.ts';
import { FamilySettings } from './family-settings.ts';
import { Subject } from './subject.ts';
import { rankTags } from './tags.ts';

const ENDLESS = { isOver: () => false };
const file = new Subject(Buffer.from('a file'), 'file');
const member = new Subject(Buffer.from('a member'), 'member', 'file → member', 1);

function extractorOf(
  found: Extraction | Recognition | undefined,
  members: Partial<Extractor> = {},
): Extractor {
  return { family: 'lantern', pages: {}, matches: () => true, extract: () => found, ...members };
}

function run(...runs: readonly (readonly [subject: Subject, extractor: Extractor])[]) {
  const collection = new Collection(ENDLESS);
  const settings = new FamilySettings(collection);
  for (const [subject, extractor] of runs) settings.run(subject, extractor);
  const { configs, c2s, hasMoreC2s } = settings;
  const tags = rankTags(collection.evidence).map(({ heat, name }) => `${heat} ${name}`);
  return { configs, c2s, hasMoreC2s, tags, evidence: collection.evidence };
}

const C2 = { protocol: 'tcp', usage: 'c2', host: 'C2.example.invalid', port: 4444 } as const;
const DECODED: Extraction = { version: '1.2', endpoints: [C2], offset: 2 };

describe('decoded settings', () => {
  it('name the family at heat 10 with their offset, and are listed under its name', () => {
    const { tags, configs, c2s, evidence } = run([file, extractorOf(DECODED)]);
    assert.deepEqual(tags, ['10 LANTERN']);
    assert.deepEqual(evidence, [
      { tag: 'LANTERN', heat: 10, source: 'extractor:lantern', offset: 2 },
    ]);
    assert.deepEqual(configs, {
      LANTERN: { C2s: 'C2.example.invalid', Ports: '4444', Version: '1.2' },
    });
    assert.deepEqual(c2s, [{ host: 'c2.example.invalid', port: 4444, family: 'LANTERN' }]);
  });

  it('may have more C2s than are listed: on a dead drop, without a port, or beyond the limit', () => {
    const hasMore = (...endpoints: Extraction['endpoints']) =>
      run([file, extractorOf({ ...DECODED, endpoints })]).hasMoreC2s;
    const url = 'https://paste.example.invalid/raw/x';
    assert.equal(hasMore(C2), false);
    assert.equal(hasMore(C2, { protocol: 'https', usage: 'upload', url }), false);
    assert.equal(hasMore(C2, { protocol: 'https', usage: 'dead-drop', url }), true);
    assert.equal(hasMore(C2, { protocol: 'tcp', usage: 'c2', host: 'c2.example.invalid' }), true);
    const many = Array.from({ length: 1001 }, (_, index) => ({ ...C2, port: index + 1 }));
    assert.equal(hasMore(...many), true);
  });

  it('may belong to another family with the same layout', () => {
    const found = run([file, extractorOf({ ...DECODED, family: 'paper kite' })]);
    assert.deepEqual(found.tags, ['10 PAPER_KITE']);
    assert.deepEqual(Object.keys(found.configs), ['PAPER_KITE']);
    assert.equal(found.c2s[0]?.family, 'PAPER_KITE');
    assert.equal(found.evidence[0]?.source, 'extractor:lantern');
  });

  it('add the category and the enabled capabilities, with the declared heat', () => {
    const tags = { KEYLOGGER: [6, 'Writes down keys'], BOLD: [10, 'Too hot'] } as const;
    const extractor = extractorOf(
      { ...DECODED, capabilities: ['KEYLOGGER', 'BOLD', 'BOLD'] },
      { category: 'RAT', tags },
    );
    const found = run([file, extractor]);
    assert.deepEqual(found.tags, ['10 LANTERN', '8 BOLD', '6 KEYLOGGER', '1 RAT']);
    assert.equal(found.evidence.length, 4);
  });

  it('add no capability that is not declared', () => {
    const extractor = extractorOf({ ...DECODED, capabilities: ['toString'] }, { tags: {} });
    assert.throws(() => run([file, extractor]), /no tag of lantern/);
  });

  it('name the family at heat 9 if they are heuristic, and say so', () => {
    const found = run([file, extractorOf({ ...DECODED, heuristic: true })]);
    assert.deepEqual(found.tags, ['9 LANTERN']);
    assert.match(found.evidence[0]?.note ?? '', /heuristics/);
    assert.equal(found.configs['LANTERN']?.['Certainty'], 'heuristic');
  });

  it('name no family if the extractor is generic', () => {
    const found = run([
      file,
      extractorOf(DECODED, { family: 'generic', namesFamily: false, category: 'STEALER' }),
    ]);
    assert.deepEqual(found.tags, ['1 STEALER']);
    assert.deepEqual(Object.keys(found.configs), ['GENERIC']);
  });

  it('are passed to later extractors of the same subject, so that a generic one omits them', () => {
    const generic = extractorOf(DECODED, {
      family: 'generic',
      namesFamily: false,
      extract: (_, __, reported = []) => (reported.includes(DECODED) ? undefined : DECODED),
    });
    const both = run([file, extractorOf(DECODED)], [file, generic]);
    assert.deepEqual(Object.keys(both.configs), ['LANTERN']);
    const separate = run([file, extractorOf(DECODED)], [member, generic]);
    assert.deepEqual(Object.keys(separate.configs), ['LANTERN', 'GENERIC']);
  });

  it('are beside those that only a generic extractor finds', () => {
    const url = 'https://hook.example.invalid/';
    const upload = { protocol: 'https', usage: 'upload', url } as const;
    const generic = extractorOf({ endpoints: [upload] }, { family: 'generic', namesFamily: false });
    const { configs, tags } = run([file, extractorOf(DECODED)], [file, generic]);
    assert.deepEqual(configs['GENERIC'], { Uploads: url });
    assert.equal(configs['LANTERN']?.['C2s'], 'C2.example.invalid');
    assert.deepEqual(tags, ['10 LANTERN']);
  });

  it('are reported once per family; addresses of all occurrences are merged', () => {
    const second = { ...DECODED, version: '9', endpoints: [C2, { ...C2, port: 5555 }] };
    const found = run([file, extractorOf(DECODED)], [member, extractorOf(second)]);
    assert.equal(found.configs['LANTERN']?.['Version'], '1.2');
    assert.deepEqual(
      found.c2s.map(({ port }) => port),
      [4444, 5555],
    );
    assert.equal(found.evidence[1]?.member, 'file → member');
  });

  it('include only valid addresses with the usage c2', () => {
    const endpoints = [
      { ...C2, usage: 'dead-drop' },
      { ...C2, usage: 'upload' },
      { ...C2, host: '%Hosts%' },
      { ...C2, port: 0 },
      { protocol: 'https', usage: 'c2', url: 'not a url' },
    ] as const;
    const { c2s, configs } = run([file, extractorOf({ endpoints })]);
    assert.deepEqual(c2s, []);
    assert.equal(configs['LANTERN']?.['C2s'], '%Hosts%, C2.example.invalid, not a url');
  });

  it('leave no empty list if there are none', () => {
    assert.deepEqual(run([file, extractorOf({ endpoints: [] })]).configs, {});
  });
});

describe('a family that was only recognised', () => {
  it('is named at heat 9, with the reason why there are no settings', () => {
    const found = run([
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
  it('does not run on subjects that it does not match', () => {
    const extractor = extractorOf(DECODED, { matches: () => false });
    assert.deepEqual(run([file, extractor]).tags, []);
  });

  it('may return nothing', () => {
    assert.deepEqual(run([file, extractorOf(undefined)]).tags, []);
  });

  it('gets the unpacking budget and the time limit', () => {
    const seen: unknown[] = [];
    const extractor = extractorOf(undefined, {
      extract(_, budget) {
        seen.push(budget.isOver(), budget.takeBytes(1), budget.bytesLeft > 0);
        return undefined;
      },
    });
    run([file, extractor]);
    assert.deepEqual(seen, [false, true, true]);
  });
});

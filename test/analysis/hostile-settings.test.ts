import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Engine, openEngine } from '../../src/analysis/engine.ts';
import type { Extraction, Extractor } from '../../src/analysis/extractors/extractor.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import { LIMITS } from '../../src/analysis/limits.ts';
import { trimAnalysis } from '../../src/analysis/worker/trim-analysis.ts';
import { validateResponse } from '../../src/analysis/worker/validate-response.ts';
import type { Analysis } from '../../src/domain/samples/analysis.ts';
import { startStopwatch } from '../stopwatch.ts';
import { fixture } from './fixture.ts';
import { buildZip } from './zip-builder.ts';

/**
 * A sample controls its settings and their number. Every step up to the store has to limit them.
 */

const NOW = new Date('2026-08-26T10:00:00Z');
const MILLION = 1_000_000;
const LONG = 'x'.repeat(1_000_000);
const HOSTILE = '\u202eexe.txt\0<script>alert(1)</script>\n\r\x1b[2J\ud800=cmd|calc';

const c2 = (host: string, port = 443) => ({ protocol: 'tcp', usage: 'c2', host, port }) as const;

const SETTINGS: Readonly<Record<string, () => Extraction>> = {
  'a million addresses': () => ({
    endpoints: Array.from({ length: MILLION }, (_, at) => c2(`h${at}.example.invalid`)),
  }),
  'a million ports': () => ({
    endpoints: Array.from({ length: MILLION }, (_, at) => c2('c2.example.invalid', at)),
  }),
  'a million dead drops': () => ({
    endpoints: Array.from({ length: MILLION }, (_, at) => ({
      protocol: 'https',
      usage: 'dead-drop',
      url: `https://paste.example.invalid/${at}`,
    })),
  }),
  'a hundred thousand settings': () => ({
    endpoints: [],
    other: Object.fromEntries(
      Array.from({ length: MILLION / 10 }, (_, at) => [`Name ${at}`, 'value']),
    ),
  }),
  'a million mutexes and campaigns': () => ({
    endpoints: [],
    mutex: Array.from({ length: MILLION }, (_, at) => `m${at}`),
    campaign: Array.from({ length: 1000 }, (_, at) => `${at}${LONG}`),
  }),
  'very long texts': () => ({
    endpoints: [c2(LONG), c2('c2.example.invalid')],
    version: LONG,
    other: Object.fromEntries(Array.from({ length: 128 }, (_, at) => [`${at}${LONG}`, LONG])),
  }),
  'texts that grow when they are shown': () => ({
    endpoints: [],
    other: { Folder: '\u{e0001}'.repeat(20_000), ['\u202e'.repeat(127)]: '\0'.repeat(16_384) },
  }),
  'hostile texts': () => ({
    family: HOSTILE,
    version: HOSTILE,
    mutex: [HOSTILE],
    endpoints: [c2(HOSTILE), c2('127.0.0.1@evil.example.invalid'), c2('c2.example.invalid')],
    other: { [HOSTILE]: HOSTILE },
  }),
  'names that objects have': () => ({
    family: '__proto__',
    endpoints: [],
    other: JSON.parse(
      '{"__proto__":"polluted","constructor":"c","toString":"t","hasOwnProperty":"h","":"e"}',
    ),
  }),
};

/** Settings whose analysis must state that some are missing. */
const TRUNCATED: ReadonlySet<string> = new Set([
  'a million addresses',
  'a million ports',
  'a million dead drops',
  'a hundred thousand settings',
]);

/** The settings of the next file. Prepared outside of the measured time. */
let prepared: Extraction | undefined;

const fake: Extractor = {
  family: 'fake',
  pages: {},
  matches: ({ bytes }) => bytes.includes('fake: '),
  extract: () => prepared,
};

/** The analysis after its transfer from a worker. */
function received(analysis: Analysis): Analysis {
  const answer = { kind: 'done', analysis: trimAnalysis(analysis), rssBytes: 0 };
  const checked = validateResponse(JSON.parse(JSON.stringify(answer)));
  if (typeof checked === 'string' || checked.kind !== 'done') assert.fail(String(checked));
  return checked.analysis;
}

describe('an analysis of a file whose settings are', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEngine([], { formats, extractors: [fake] });
  });

  async function analyse(name: string): Promise<Analysis> {
    const bytes = Buffer.from(`fake: ${name}`);
    return received(await engine.analyse({ bytes, fileName: 'file' }, NOW));
  }

  for (const name of Object.keys(SETTINGS)) {
    it(`${name} is limited, has no invisible character, and ends in time`, async () => {
      prepared = SETTINGS[name]?.();
      const spent = startStopwatch();
      const { report, details } = await analyse(name);
      assert.ok(spent() < 25_000);
      assert.ok(details.c2s.length <= LIMITS.c2s);
      const [settings = {}] = Object.values(report.configs);
      assert.ok(Object.keys(settings).length > 0);
      assert.ok(JSON.stringify([report.configs, details.c2s]).length < 1024 * 1024);
      for (const text of Object.entries(settings).flat())
        assert.doesNotMatch(String(text), /\p{C}/u);
      assert.ok(!report.tags.some(({ name: tag }) => tag === 'PARSER_FAILED'));
      const notes = details.evidence.map(({ note }) => note ?? '');
      const isMore = notes.some((note) => /^extractor:fake: more settings/.test(note));
      assert.equal(isMore, TRUNCATED.has(name), notes.join('\n'));
    });
  }

  it('a mix of valid and invalid ones keeps the valid ones', async () => {
    prepared = SETTINGS['hostile texts']?.();
    const { details } = await analyse('hostile texts');
    assert.deepEqual(
      details.c2s.map(({ host }) => host),
      ['c2.example.invalid'],
    );
  });

  it('named like object properties does not pollute prototypes', async () => {
    prepared = SETTINGS['names that objects have']?.();
    const { report } = await analyse('names that objects have');
    assert.deepEqual(report.configs, {
      PROTO: {
        proto: 'polluted',
        constructor: 'c',
        toString: 't',
        hasOwnProperty: 'h',
        '?': 'e',
      },
    });
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});

describe('settings are found', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEngine([], { formats, extractors: [fake] });
  });

  const program = Buffer.concat([fixture('analysis/pe/tiny'), Buffer.from('fake: ')]);
  const host = fixture('analysis/pe/hello32');
  const text = gzipSync(program).toString('base64');
  const wrapped: Readonly<Record<string, () => Buffer>> = {
    'in gzip behind a program': () => Buffer.concat([host, gzipSync(program)]),
    'behind a program': () => Buffer.concat([host, program]),
    'in gzip in base64 in a program': () => Buffer.concat([host, Buffer.from(`\0${text}`)]),
    'in gzip in base64 of UTF-16 in a program': () =>
      Buffer.concat([host, Buffer.from(`\0${text}`, 'utf16le')]),
    'in gzip in base64 in an archive': () =>
      buildZip([{ name: 'payload.txt', content: Buffer.from(text) }]),
  };
  for (const [where, bytes] of Object.entries(wrapped)) {
    it(where, async () => {
      prepared = { endpoints: [c2('c2.example.invalid')] };
      const { details } = await engine.analyse({ bytes: bytes(), fileName: 'file' }, NOW);
      assert.equal(details.c2s[0]?.host, 'c2.example.invalid');
      assert.ok(
        details.evidence.some(({ source, member }) => source === 'extractor:fake' && member),
      );
    });
  }
});

import { sql } from 'kysely';
import type { AnalysisReport, HeatTag } from '../../../domain/samples/analysis-report.ts';
import type { HashKind } from '../../../domain/samples/file-hash.ts';
import {
  foldText,
  hasWords,
  type SearchMatch,
  type Sought,
  type SoughtHash,
  type SoughtHashKind,
  wordsOfNames,
} from '../../../domain/search-query.ts';
import type { Serializers } from '../../../ports/store.ts';
import { each, query, row, type UnitOfWork } from '../../unit-of-work.ts';
import { findBody, findDigest } from '../samples/sample-rows.ts';
import { findUpload } from '../samples/uploads.ts';
import { newestWithWord, newestWithWords, putTexts, removeTexts } from './search-text.ts';

/** A file, as far as a search tells of it. */
export interface FoundSample {
  readonly match: SearchMatch;
  readonly at: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly tags: readonly HeatTag[];
}

/** So many tags of a file are shown, and it is found by so many. */
const SHOWN_TAGS = 5;
/** Of files that have a word so many are looked at. */
const CANDIDATES = 200;
/** Before an MD5 or SHA-1 among the words. It is in no word, so no file is found as another by being named like it. */
const DIGEST_SIGN = '§';

const selectPlace = query<{ sampleId: number }>()((db, parameter) =>
  db.selectFrom('fuzzy_hash').select('id').where('sample_id', '=', parameter.sampleId),
);

const SHOWN = [
  'sample.value',
  'sample.family',
  'sample.analysed_at',
  'fuzzy_hash.file_name',
  'fuzzy_hash.tags',
] as const;

const selectAtPlace = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('fuzzy_hash')
    .innerJoin('sample', 'sample.id', 'fuzzy_hash.sample_id')
    .select(SHOWN)
    .where('fuzzy_hash.id', '=', parameter.id),
);

const selectSample = query<{ sampleId: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .leftJoin('fuzzy_hash', 'fuzzy_hash.sample_id', 'sample.id')
    .select(SHOWN)
    .where('sample.id', '=', parameter.sampleId),
);

const selectWaiting = (kind: 'md5' | 'sha1') =>
  query<{ value: Uint8Array }>()((db, parameter) =>
    db
      .selectFrom('upload')
      .select(['sha256', 'file_name', 'uploaded_at'])
      .where(kind, '=', parameter.value)
      // As it stands in the index; the others are found by their reports.
      .where(sql<boolean>`state <> 'done'`),
  );

const WAITING = { md5: selectWaiting('md5'), sha1: selectWaiting('sha1') };

/** What a file is found by, besides its longer hashes. */
export type SampleTexts = Pick<AnalysisReport, 'fileName' | 'tags' | 'md5' | 'sha1'> & {
  readonly family: string | undefined;
};

export interface TextsOf {
  readonly sampleId: number;
  readonly texts: SampleTexts;
}

/** The words of files that have none. They are numbered like the fuzzy hash, which must be there already. */
export function* putSampleTexts(list: readonly TextsOf[]): UnitOfWork<void> {
  const places = yield* placesOf(list.map(({ sampleId }) => sampleId));
  const words = list.map(({ texts }, at) => {
    const id = places[at];
    if (id === undefined) throw new Error('a file is to be found by words before it has a place');
    return { id, words: allWordsOfSample(texts) };
  });
  yield* putTexts('sample_text', words);
}

function* placesOf(sampleIds: readonly number[]): UnitOfWork<readonly (number | undefined)[]> {
  const found = yield* each(
    selectPlace,
    sampleIds.map((sampleId) => ({ sampleId })),
  );
  return found.map(([place]) => place?.id);
}

/** Everything that a file is found by among words. */
export function allWordsOfSample(texts: SampleTexts): readonly string[] {
  const digests = [texts.md5, texts.sha1].map((hex) => `${DIGEST_SIGN}${hex}`);
  return [...wordsOfSample(texts), ...digests];
}

export function* removeSampleTexts(sampleIds: readonly number[]): UnitOfWork<void> {
  const places = yield* placesOf(sampleIds);
  yield* removeTexts(
    'sample_text',
    places.flatMap((id) => id ?? []),
  );
}

/** The file that has this hash, as the first of the kinds that it can be and that is there. */
export function* sampleByHash(
  hash: SoughtHash,
  serializers: Serializers,
): UnitOfWork<FoundSample | undefined> {
  for (const kind of hash.kinds) {
    const found = isShort(kind)
      ? yield* byShortHash(hash.hex, kind)
      : yield* byLongHash(hash.hex, kind, serializers);
    if (found !== undefined) return { match: kind, ...found };
  }
  return undefined;
}

type Unmatched = Omit<FoundSample, 'match'>;

function isShort(kind: SoughtHashKind): kind is 'md5' | 'sha1' {
  return kind === 'md5' || kind === 'sha1';
}

function* byShortHash(hex: string, kind: 'md5' | 'sha1'): UnitOfWork<Unmatched | undefined> {
  const [id] = yield* newestWithWord('sample_text', `${DIGEST_SIGN}${hex}`, 1);
  const found = id === undefined ? undefined : yield* row(selectAtPlace, { id });
  if (found !== undefined) return fromRow(found);
  const waiting = yield* row(WAITING[kind], { value: Buffer.from(hex, 'hex') });
  return (
    waiting && {
      at: waiting.uploaded_at,
      sha256: Buffer.from(waiting.sha256).toString('hex'),
      fileName: waiting.file_name,
      tags: [],
    }
  );
}

function* byLongHash(
  hex: string,
  kind: HashKind,
  serializers: Serializers,
): UnitOfWork<Unmatched | undefined> {
  const hash = { hex, kinds: [kind] };
  const digest = yield* findDigest(hash);
  const found = digest && (yield* row(selectSample, { sampleId: digest.sample_id }));
  if (found !== undefined) {
    const { file_name, tags } = found;
    if (file_name !== null && tags !== null) return fromRow({ ...found, file_name, tags });
    // An old report that is not indexed yet still says what it is of.
    const old = serializers.readAnalysis?.((yield* findBody(hash)) ?? '');
    return fromRow({
      ...found,
      file_name: old?.fileName ?? '',
      tags: JSON.stringify(old?.tags ?? []),
    });
  }
  const upload = yield* findUpload(hash);
  return (
    upload && {
      at: upload.uploadedAt.toISOString(),
      sha256: upload.digests.sha256,
      fileName: upload.fileName,
      tags: [],
    }
  );
}

/** The newest files whose names, families or tags have the words. */
export function* samplesByWords({ text, words }: Sought): UnitOfWork<readonly FoundSample[]> {
  const places = yield* newestWithWords('sample_text', words, CANDIDATES);
  const shown = yield* each(
    selectAtPlace,
    places.map((id) => ({ id })),
  );
  return shown.flat().flatMap((one) => {
    const match = matchOf(one, foldText(text), words);
    return match === undefined ? [] : [{ match, ...fromRow(one) }];
  });
}

/** Those files, by their rows in `sample`, each with why it was found. */
export function* samplesOf(
  found: ReadonlyMap<number, SearchMatch>,
): UnitOfWork<readonly FoundSample[]> {
  const shown = yield* each(
    selectSample,
    [...found.keys()].map((sampleId) => ({ sampleId })),
  );
  return [...found.values()].flatMap((match, place) => {
    const [sample] = shown[place] ?? [];
    // Every file that was analysed here has its place.
    if (sample?.file_name == null || sample.tags === null) return [];
    const { file_name, tags } = sample;
    return { match, ...fromRow({ ...sample, file_name, tags }) };
  });
}

interface ShownRow {
  readonly value: Uint8Array;
  readonly family: string | null;
  readonly analysed_at: string | null;
  readonly file_name: string;
  readonly tags: string;
}

function matchOf(row: ShownRow, folded: string, words: readonly string[]): SearchMatch | undefined {
  const { file_name: fileName, family } = row;
  const tags = hottest(JSON.parse(row.tags));
  if ([fileName, family ?? ''].some((name) => foldText(name) === folded)) return 'name';
  if (tags.some(({ name }) => foldText(name) === folded)) return 'tag';
  return hasWords(wordsOfSample({ fileName, family, tags }), words) ? 'text' : undefined;
}

function fromRow(row: ShownRow): Unmatched {
  return {
    at: row.analysed_at ?? '',
    sha256: Buffer.from(row.value).toString('hex'),
    fileName: row.file_name,
    tags: hottest(JSON.parse(row.tags)),
  };
}

interface Named {
  readonly fileName: string;
  readonly family?: string | null | undefined;
  readonly tags: readonly HeatTag[];
}

/** The file's own name comes last: it is the stranger's, and may be so long that it would leave no room. */
function wordsOfSample({ fileName, family, tags }: Named): readonly string[] {
  return wordsOfNames([family ?? '', ...hottest(tags).map(({ name }) => name), fileName]);
}

/** Of those that are equally hot, the ones that the report names first. */
function hottest(tags: readonly HeatTag[]): readonly HeatTag[] {
  return [...tags].sort((one, other) => other.heat - one.heat).slice(0, SHOWN_TAGS);
}

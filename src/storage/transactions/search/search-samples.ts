import type { AnalysisReport, HeatTag } from '../../../domain/samples/analysis-report.ts';
import type { HashKind } from '../../../domain/samples/file-hash.ts';
import {
  firstWords,
  foldText,
  hasWords,
  type SearchedHash,
  type SearchedHashKind,
  type SearchInput,
  type SearchMatch,
  wordsOfName,
} from '../../../domain/search-query.ts';
import type { Serializers } from '../../../ports/store.ts';
import { findBody, findSample } from '../../tables/samples/sample-rows.ts';
import { selectByFuzzyHash, selectSample, UNFINISHED } from '../../tables/samples/shown-samples.ts';
import { findUpload } from '../../tables/samples/uploads.ts';
import {
  newestWithWord,
  newestWithWords,
  putTexts,
  removeTexts,
} from '../../tables/search/search-text.ts';
import type { Bounded } from '../../units/bounded.ts';
import { each, row, type UnitOfWork } from '../../units/unit-of-work.ts';

export interface FoundSample {
  readonly match: SearchMatch;
  readonly at: string;
  readonly sha256: string;
  readonly fileName: string;
  readonly tags: readonly HeatTag[];
  /** `undefined` while the file has no analysis, too. */
  readonly family?: string | undefined;
}

/** The number of tags of a sample that are shown and indexed. */
const SHOWN_TAGS = 5;

/** The limit on samples with the words that are compared. */
const CANDIDATES = 200;

/**
 * Prefixes an MD5 or SHA-1 among the words. Words never contain it, so file names cannot imitate
 * hashes.
 */
export const HASH_PREFIX = '§';

/** The texts by which a sample is found, besides its longer hashes. */
export type SampleTexts = Pick<AnalysisReport, 'fileName' | 'tags' | 'md5' | 'sha1'> & {
  readonly family: string | undefined;
};

export interface SearchableSample {
  readonly sampleId: number;
  readonly texts: SampleTexts;
}

/** Writes the words of samples that have none. */
export function* putSampleTexts(samples: readonly SearchableSample[]): UnitOfWork<void> {
  yield* putTexts(
    'sample_text',
    samples.map(({ sampleId: id, texts }) => ({ id, words: allWordsOfSample(texts) })),
  );
}

/** All words of a sample, with its shorter hashes. */
export function allWordsOfSample(texts: SampleTexts): readonly string[] {
  const hashes = [texts.md5, texts.sha1].map((hex) => `${HASH_PREFIX}${hex}`);
  return [...wordsOfSample(texts), ...hashes];
}

export function* removeSampleTexts(sampleIds: readonly number[]): UnitOfWork<void> {
  yield* removeTexts('sample_text', sampleIds);
}

/** The file with this hash, of the first of its possible kinds that exists. */
export function* sampleByHash(
  hash: SearchedHash,
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

function isShort(kind: SearchedHashKind): kind is 'md5' | 'sha1' {
  return kind === 'md5' || kind === 'sha1';
}

function* byShortHash(hex: string, kind: 'md5' | 'sha1'): UnitOfWork<Unmatched | undefined> {
  const [id] = yield* newestWithWord('sample_text', `${HASH_PREFIX}${hex}`, 1);
  const found = id === undefined ? undefined : yield* row(selectByFuzzyHash, { id });
  if (found !== undefined) return fromRow(found);
  const upload = yield* row(UNFINISHED[kind], { value: Buffer.from(hex, 'hex') });
  return (
    upload && {
      at: upload.uploaded_at,
      sha256: Buffer.from(upload.sha256).toString('hex'),
      fileName: upload.file_name,
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
  const sampleId = yield* findSample(hash);
  const found = sampleId === undefined ? undefined : yield* row(selectSample, { sampleId });
  if (found !== undefined) {
    const { file_name, tags } = found;
    if (file_name !== null && tags !== null) return fromRow({ ...found, file_name, tags });
    // An old analysis that is not indexed yet is parsed.
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

/** The newest samples whose file names, families or tags have the words. */
export function* samplesByWords({ text, words }: SearchInput): UnitOfWork<Bounded<FoundSample>> {
  const ids = yield* newestWithWords('sample_text', words, CANDIDATES);
  const shown = yield* each(
    selectByFuzzyHash,
    ids.map((id) => ({ id })),
  );
  const found = shown.flat().flatMap((one) => {
    const match = matchOf(one, foldText(text), words);
    return match === undefined ? [] : [{ match, ...fromRow(one) }];
  });
  return { found, isBounded: ids.length >= CANDIDATES };
}

/** The samples with these ids, each with its match. */
export function* samplesOf(
  found: ReadonlyMap<number, SearchMatch>,
): UnitOfWork<readonly FoundSample[]> {
  const shown = yield* samplesById([...found.keys()]);
  return [...found].flatMap(([id, match]) => {
    const sample = shown.get(id);
    return sample === undefined ? [] : [{ match, ...sample }];
  });
}

/** What is shown of the samples with these ids, in their order. */
export function* samplesById(ids: readonly number[]): UnitOfWork<ReadonlyMap<number, Unmatched>> {
  const found = yield* each(
    selectSample,
    ids.map((sampleId) => ({ sampleId })),
  );
  return new Map(
    ids.flatMap((id, index) => {
      const [sample] = found[index] ?? [];
      // Every sample that was analysed here has a fuzzy hash.
      if (sample?.file_name == null || sample.tags === null) return [];
      const { file_name, tags } = sample;
      return [[id, fromRow({ ...sample, file_name, tags })] as const];
    }),
  );
}

interface ShownRow {
  readonly sha256: Uint8Array;
  readonly family: string | null;
  readonly analysed_at: string;
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
    at: row.analysed_at,
    sha256: Buffer.from(row.sha256).toString('hex'),
    fileName: row.file_name,
    tags: hottest(JSON.parse(row.tags)),
    family: row.family ?? undefined,
  };
}

interface NamedSample {
  readonly fileName: string;
  readonly family?: string | null | undefined;
  readonly tags: readonly HeatTag[];
}

/** The file name comes last: the uploader chose it, and a long one must not displace the others. */
function wordsOfSample({ fileName, family, tags }: NamedSample): readonly string[] {
  const named = [family ?? '', ...hottest(tags).map(({ name }) => name)].map(wordsOfCommonName);
  return firstWords([...named, wordsOfName(fileName)]);
}

/** An import repeats few families and tags, and splitting them takes longer than storing them. */
const commonNames = new Map<string, readonly string[]>();

const MAX_COMMON_NAMES = 1000;

function wordsOfCommonName(name: string): readonly string[] {
  const known = commonNames.get(name);
  if (known !== undefined) return known;
  if (commonNames.size >= MAX_COMMON_NAMES) commonNames.clear();
  const words = wordsOfName(name);
  commonNames.set(name, words);
  return words;
}

/** The tags with the highest heat. Tags with equal heat stay in order. */
function hottest(tags: readonly HeatTag[]): readonly HeatTag[] {
  return tags.toSorted((one, other) => other.heat - one.heat).slice(0, SHOWN_TAGS);
}

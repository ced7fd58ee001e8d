import { wordsOfNames } from '../../domain/search-query.ts';
import type { Serializers } from '../../ports/store.ts';
import { addJob } from '../tables/jobs/jobs.ts';
import { putTexts } from '../tables/search/search-text.ts';
import { allWordsOfSample } from '../transactions/search/search-samples.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { Row } from './rows.ts';

/** Data that is not copied but built in the target, from rows that were copied. */
export interface DerivedPart {
  readonly name: string;
  /** Selects rows with a higher key than $1, in its order. The key is the first column. */
  readonly select: string;
  /** Lower than any key. */
  readonly first: unknown;
  build(rows: readonly Row[]): UnitOfWork<void>;
}

const MAX_ID = Number.MAX_SAFE_INTEGER;

export function derivedParts(serializers: Serializers, now: Date): readonly DerivedPart[] {
  return [
    {
      name: 'term_text',
      select: 'select id, text from search_term where id > $1 order by id',
      first: -1,
      build: (rows) =>
        putTexts(
          'term_text',
          rows.map(([id, text]) => ({ id: Number(id), words: wordsOfNames([String(text)]) })),
        ),
    },
    {
      name: 'sample_text',
      // Rows that the back-fill of the source has not reached are left to that of the target.
      select: `
        select fuzzy_hash.id, sample.family, sample.body from fuzzy_hash
        inner join sample on sample.id = fuzzy_hash.id
        where fuzzy_hash.id > $1 and sample.id <= coalesce(
          (select position from back_fill where name = 'search_sample'), ${MAX_ID}
        )
        order by fuzzy_hash.id`,
      first: -1,
      build: (rows) =>
        putTexts(
          'sample_text',
          rows.flatMap((row) => wordsOf(row, serializers)),
        ),
    },
    {
      name: 'job',
      select: `
        select sha256, uploaded_by from upload
        where sha256 > $1 and (state in ('queued', 'running') or reanalysis = 'queued')
        order by sha256`,
      first: Buffer.alloc(0),
      *build(rows) {
        for (const [sha256, uploadedBy] of rows) {
          const key = Buffer.from(sha256 as Uint8Array).toString('hex');
          yield* addJob({ kind: 'analyse', key, accountId: String(uploadedBy), at: now });
        }
      },
    },
  ];
}

/** An analysis that cannot be parsed has no words in the source either. */
function wordsOf([id, family, body]: Row, serializers: Serializers) {
  const texts = serializers.readAnalysis?.(String(body));
  if (texts === undefined) return [];
  const searchable = { ...texts, family: family === null ? undefined : String(family) };
  return [{ id: Number(id), words: allWordsOfSample(searchable) }];
}

import { wordsOfNames } from '../../domain/search-query.ts';
import type { Serializers } from '../../ports/store.ts';
import { addJob } from '../sql/jobs.ts';
import { allWordsOfSample } from '../sql/search/search-samples.ts';
import { putTexts } from '../sql/search/search-text.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { Row } from './rows.ts';

/** What is not moved but made anew in the target, from rows that are there by then. */
export interface Remade {
  readonly name: string;
  /** Those with a higher key than $1, in its order, so many; the key comes first. */
  readonly select: string;
  readonly first: unknown;
  make(rows: readonly Row[]): UnitOfWork<void>;
}

const MOST = Number.MAX_SAFE_INTEGER;

export function remadeParts(serializers: Serializers, now: Date): readonly Remade[] {
  return [
    {
      name: 'term_text',
      select: 'select id, text from search_term where id > $1 order by id',
      first: -1,
      make: (rows) =>
        putTexts(
          'term_text',
          rows.map(([id, text]) => ({ id: Number(id), words: wordsOfNames([String(text)]) })),
        ),
    },
    {
      name: 'sample_text',
      // What the source has not brought into its index yet, the target's own back-fill will.
      select: `
        select fuzzy_hash.id, sample.family, sample.body from fuzzy_hash
        inner join sample on sample.id = fuzzy_hash.sample_id
        where fuzzy_hash.id > $1 and sample.id <= coalesce(
          (select position from back_fill where name = 'search_sample'), ${MOST}
        )
        order by fuzzy_hash.id`,
      first: -1,
      make: (rows) =>
        putTexts(
          'sample_text',
          rows.flatMap((row) => wordsOf(row, serializers)),
        ),
    },
    {
      name: 'job',
      select: `
        select sha256, uploaded_by from upload
        where sha256 > $1 and state in ('queued', 'running') order by sha256`,
      first: Buffer.alloc(0),
      *make(rows) {
        for (const [sha256, uploadedBy] of rows) {
          const key = Buffer.from(sha256 as Uint8Array).toString('hex');
          yield* addJob({ kind: 'analyse', key, accountId: String(uploadedBy), at: now });
        }
      },
    },
  ];
}

/** A report that cannot be read was not found by words before either. */
function wordsOf([id, family, body]: Row, serializers: Serializers) {
  const texts = serializers.readAnalysis?.(String(body));
  if (texts === undefined) return [];
  const named = { ...texts, family: family === null ? undefined : String(family) };
  return [{ id: Number(id), words: allWordsOfSample(named) }];
}

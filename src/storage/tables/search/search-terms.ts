import { foldText, hostKey, wordsOfNames } from '../../../domain/search-query.ts';
import { textRows, toJsonArray } from '../../units/json-arrays.ts';
import { ONE, query } from '../../units/query.ts';
import {
  allInParallel,
  eachDeferred,
  row,
  rows,
  type UnitOfWork,
} from '../../units/unit-of-work.ts';
import { putTermTexts, removeText } from './search-text.ts';

/**
 * The names, tags and hosts by which the reports of each feed are found. Only those that are new in
 * a feed are written. Most reports repeat known ones, which costs at most one query.
 */
export interface SearchedReport {
  readonly name: string;
  readonly tags: readonly string[];
  readonly host: string;
}

const insertHost = query<{ reversed: string; serviceId: number }>()((db, parameter) =>
  db
    .insertInto('search_host')
    .values({ reversed: parameter.reversed, service_id: parameter.serviceId })
    .onConflict((conflict) => conflict.doNothing()),
);

const deleteUnusedHost = query<{ reversed: string; serviceId: number; host: string }>()(
  (db, parameter) =>
    db
      .deleteFrom('search_host')
      .where('reversed', '=', parameter.reversed)
      .where('service_id', '=', parameter.serviceId)
      .where(
        ({ selectFrom }) =>
          selectFrom('report')
            .select('number')
            .where('report.service_id', '=', parameter.serviceId)
            .where('report.host', '=', parameter.host)
            // In the order of the only index with all hosts of a feed.
            .orderBy('report.port')
            .limit(ONE),
        'is',
        null,
      ),
);

const selectUnknown = query<{ serviceId: number; texts: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(textRows(parameter.texts, dialect).as('wanted'))
    .select('wanted.value as text')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('search_term')
            .select('id')
            .where('service_id', '=', parameter.serviceId)
            .whereRef('text', '=', 'wanted.value'),
        ),
      ),
    ),
);

const insertTerm = query<{ serviceId: number; text: string; folded: string }>()((db, parameter) =>
  db
    .insertInto('search_term')
    .values({ service_id: parameter.serviceId, text: parameter.text, folded: parameter.folded }),
);

/** The limit on texts of one statement. */
const MAX_TEXTS = 200;

const deleteUnusedTerm = query<{ serviceId: number; text: string }>()((db, parameter) =>
  db
    .deleteFrom('search_term')
    .where('service_id', '=', parameter.serviceId)
    .where('text', '=', parameter.text)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('report_tag')
            .select('number')
            .where('report_tag.service_id', '=', parameter.serviceId)
            .where('report_tag.tag', '=', parameter.text),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('report')
            .select('number')
            .where('report.service_id', '=', parameter.serviceId)
            .where('report.name', '=', parameter.text),
        ),
      ),
    )
    .returning('id'),
);

export interface AddedReport {
  readonly serviceId: number;
  readonly report: SearchedReport;
  readonly isNewHost: boolean;
}

/** The names and tags of a feed that a batch has looked up, and those of them that are missing. */
interface KnownTexts {
  readonly seen: Set<string>;
  readonly missing: Set<string>;
}

type NamedReport = Pick<SearchedReport, 'name' | 'tags'>;

/** Writes the terms of a batch of changes. A term is queried once for the batch. */
export class SearchTerms {
  readonly #texts = new Map<number, KnownTexts>();

  /** `isNewHost: false` if the feed has reports of the host already. */
  *add(serviceId: number, report: SearchedReport, isNewHost = true): UnitOfWork<void> {
    yield* this.addAll([{ serviceId, report, isNewHost }]);
  }

  *addAll(added: readonly AddedReport[]): UnitOfWork<void> {
    yield* this.load(added);
    yield* this.write(added);
  }

  /** Finds out which names and tags are new. The caller has locked the feeds. */
  *load(
    reports: readonly { readonly serviceId: number; readonly report: NamedReport }[],
  ): UnitOfWork<void> {
    const candidates = new Map<
      KnownTexts,
      { readonly serviceId: number; readonly texts: string[] }
    >();
    for (const { serviceId, report } of reports) {
      const known = this.#textsOf(serviceId);
      const { texts } = getOrAdd(candidates, known, () => ({ serviceId, texts: [] }));
      if (isAdded(known.seen, report.name)) texts.push(report.name);
      for (const tag of report.tags) if (isAdded(known.seen, tag)) texts.push(tag);
    }
    yield* allInParallel(
      [...candidates].map(([{ missing }, { serviceId, texts }]) =>
        findMissing(serviceId, texts, missing),
      ),
    );
  }

  /**
   * Writes the terms of reports that were loaded. Inserts all terms, then all words: FTS5 writes
   * its buffer to the disk whenever another statement opens a savepoint, so alternating between the
   * two takes five times as long.
   */
  *write(added: readonly AddedReport[]): UnitOfWork<void> {
    const hosts = new Map<string, { readonly serviceId: number; readonly reversed: string }>();
    const terms: { readonly serviceId: number; readonly text: string }[] = [];
    for (const { serviceId, report, isNewHost } of added) {
      const reversed = isNewHost ? hostKey(report.host) : '';
      if (isNewHost) hosts.set(`${serviceId} ${reversed}`, { serviceId, reversed });
      const { missing } = this.#textsOf(serviceId);
      if (missing.size === 0) continue;
      if (missing.delete(report.name)) terms.push({ serviceId, text: report.name });
      for (const tag of report.tags) if (missing.delete(tag)) terms.push({ serviceId, text: tag });
    }
    yield* eachDeferred(insertHost, [...hosts.values()]);
    yield* eachDeferred(
      insertTerm,
      terms.map(({ serviceId, text }) => ({ serviceId, text, folded: foldText(text) })),
    );
    yield* putTermTexts(
      terms.map(({ serviceId, text }) => ({ serviceId, text, words: wordsOfNames([text]) })),
    );
  }

  #textsOf(serviceId: number): KnownTexts {
    return getOrAdd(this.#texts, serviceId, () => ({ seen: new Set(), missing: new Set() }));
  }
}

function* findMissing(
  serviceId: number,
  texts: readonly string[],
  missing: Set<string>,
): UnitOfWork<void> {
  for (let start = 0; start < texts.length; start += MAX_TEXTS) {
    const part = toJsonArray(texts.slice(start, start + MAX_TEXTS));
    for (const { text } of yield* rows(selectUnknown, { serviceId, texts: part }))
      missing.add(text);
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

/** Adds the text. Returns `false` if the set had it before. */
function isAdded(set: Set<string>, text: string): boolean {
  const { size } = set;
  return set.add(text).size > size;
}

/** Deletes the terms of a deleted report that no other report of the feed has. */
export function* deleteUnusedTerms(serviceId: number, report: SearchedReport): UnitOfWork<void> {
  const { host } = report;
  yield* rows(deleteUnusedHost, { reversed: hostKey(host), serviceId, host });
  for (const text of termsOf(report)) yield* removeUnusedTerm(serviceId, text);
}

/** Deletes the old names of renamed reports that no other report of the feed has. */
export function* deleteUnusedNames(
  names: readonly { readonly serviceId: number; readonly name: string }[],
): UnitOfWork<void> {
  const distinct = new Map(names.map((one) => [`${one.serviceId} ${one.name}`, one]));
  const units = [...distinct.values()].map((one) => removeUnusedTerm(one.serviceId, one.name));
  yield* allInParallel(units);
}

function* removeUnusedTerm(serviceId: number, text: string): UnitOfWork<void> {
  const deleted = yield* row(deleteUnusedTerm, { serviceId, text });
  if (deleted !== undefined) yield* removeText('term_text', deleted.id);
}

function termsOf({ name, tags }: SearchedReport): readonly string[] {
  return [...new Set([name, ...tags])];
}

import { foldText, isAddress, reverseHost, wordsOfNames } from '../../../domain/search-query.ts';
import { each, inParallel, ONE, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { textRows, toJsonArray } from '../json-arrays.ts';
import { putTexts, removeText } from './search-text.ts';

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

/** By a subquery for each: for a join, SQLite scans all terms of the feed. */
const selectTermIds = query<{ serviceId: number; texts: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(textRows(parameter.texts, dialect).as('wanted'))
    .select('wanted.value as text')
    .select(({ selectFrom }) =>
      selectFrom('search_term')
        .select('id')
        .where('service_id', '=', parameter.serviceId)
        .whereRef('text', '=', 'wanted.value')
        .as('id'),
    ),
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

/** The hosts and the names and tags of one feed that a batch has written or found. */
interface KnownTerms {
  readonly hosts: Set<string>;
  readonly texts: Set<string>;
}

/** Writes the terms of a batch of changes. A term is queried once for the batch. */
export class SearchTerms {
  readonly #known = new Map<number, KnownTerms>();

  /** `isNewHost: false` if the feed has reports of the host already. */
  *add(serviceId: number, report: SearchedReport, isNewHost = true): UnitOfWork<void> {
    yield* this.addAll([{ serviceId, report, isNewHost }]);
  }

  *addAll(added: readonly AddedReport[]): UnitOfWork<void> {
    const hosts: { readonly serviceId: number; readonly reversed: string }[] = [];
    const candidates = new Map<number, string[]>();
    for (const { serviceId, report, isNewHost } of added) {
      const known = this.#knownOf(serviceId);
      if (isNewHost && isAdded(known.hosts, report.host))
        hosts.push({ serviceId, reversed: hostKey(report.host) });
      const ofFeed = candidates.get(serviceId) ?? [];
      candidates.set(serviceId, ofFeed);
      if (isAdded(known.texts, report.name)) ofFeed.push(report.name);
      for (const tag of report.tags) if (isAdded(known.texts, tag)) ofFeed.push(tag);
    }
    const terms = [...candidates].map(([serviceId, texts]) => addTexts(serviceId, texts));
    yield* inParallel(each(insertHost, hosts), ...terms);
  }

  #knownOf(serviceId: number): KnownTerms {
    let known = this.#known.get(serviceId);
    if (known === undefined) {
      known = { hosts: new Set(), texts: new Set() };
      this.#known.set(serviceId, known);
    }
    return known;
  }
}

function* addTexts(serviceId: number, texts: readonly string[]): UnitOfWork<void> {
  for (let start = 0; start < texts.length; start += MAX_TEXTS)
    yield* addUnknown(serviceId, texts.slice(start, start + MAX_TEXTS));
}

/** Adds the text. Returns `false` if the set had it before. */
function isAdded(set: Set<string>, text: string): boolean {
  const { size } = set;
  return set.add(text).size > size;
}

/**
 * Inserts all terms, then all words. FTS5 writes its buffer to the disk whenever another statement
 * opens a savepoint, so alternating between the two takes five times as long.
 */
function* addUnknown(serviceId: number, candidates: readonly string[]): UnitOfWork<void> {
  const unknown = yield* rows(selectUnknown, { serviceId, texts: toJsonArray(candidates) });
  if (unknown.length === 0) return;
  const texts = unknown.map(({ text }) => text);
  yield* each(
    insertTerm,
    texts.map((text) => ({ serviceId, text, folded: foldText(text) })),
  );
  const added = yield* rows(selectTermIds, { serviceId, texts: toJsonArray(texts) });
  yield* putTexts(
    'term_text',
    added.flatMap(({ id, text }) => (id === null ? [] : { id, words: wordsOfNames([text]) })),
  );
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
  yield* inParallel(...units);
}

function* removeUnusedTerm(serviceId: number, text: string): UnitOfWork<void> {
  const deleted = yield* row(deleteUnusedTerm, { serviceId, text });
  if (deleted !== undefined) yield* removeText('term_text', deleted.id);
}

export function hostKey(host: string): string {
  return isAddress(host) ? host : reverseHost(host);
}

function termsOf({ name, tags }: SearchedReport): readonly string[] {
  return [...new Set([name, ...tags])];
}

import { foldText, isAddress, reverseHost, wordsOfNames } from '../../../domain/search-query.ts';
import { each, inParallel, ONE, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { textsOf, toList } from '../json-arrays.ts';
import { putTexts, removeText } from './search-text.ts';

/**
 * By which words and hosts the reports of each feed are found. Only what is new in a feed is written: names, tags and
 * hosts come again and again, and then a report costs one question more, or none.
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
            // In the order of the one index that has all hosts of a feed.
            .orderBy('report.port')
            .limit(ONE),
        'is',
        null,
      ),
);

const selectUnknown = query<{ serviceId: number; texts: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(textsOf(parameter.texts, dialect).as('wanted'))
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

/** By a subquery for each: a join lets SQLite walk all terms of the feed. */
const selectTermIds = query<{ serviceId: number; texts: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(textsOf(parameter.texts, dialect).as('wanted'))
    .select('wanted.value as text')
    .select(({ selectFrom }) =>
      selectFrom('search_term')
        .select('id')
        .where('service_id', '=', parameter.serviceId)
        .whereRef('text', '=', 'wanted.value')
        .as('id'),
    ),
);

/** What one statement looks for at most. */
const MOST_TEXTS = 200;

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

/** A report of a feed that is to be found from now on. */
export interface AddedReport {
  readonly serviceId: number;
  readonly report: SearchedReport;
  readonly isNewHost: boolean;
}

/** Keeps what reports are found by, for changes that come together: what one brought need not be asked for the next. */
export class SearchTerms {
  readonly #known = new Set<string>();

  /** `isNewHost: false` where the host is known to be in the feed already. */
  *add(serviceId: number, report: SearchedReport, isNewHost = true): UnitOfWork<void> {
    yield* this.addAll([{ serviceId, report, isNewHost }]);
  }

  *addAll(added: readonly AddedReport[]): UnitOfWork<void> {
    const hosts = added
      .filter(({ isNewHost }) => isNewHost)
      .map(({ serviceId, report }) => ({ serviceId, reversed: hostKey(report.host) }))
      .filter(({ serviceId, reversed }) => !this.#isKnown(`${serviceId} host ${reversed}`));
    yield* each(insertHost, hosts);
    for (const serviceId of new Set(added.map((one) => one.serviceId))) {
      const own = added.filter((one) => one.serviceId === serviceId);
      yield* this.#addTexts(
        serviceId,
        own.flatMap(({ report }) => termsOf(report)),
      );
    }
  }

  *#addTexts(serviceId: number, texts: readonly string[]): UnitOfWork<void> {
    const asked = texts.filter((text) => !this.#isKnown(`${serviceId} text ${text}`));
    for (let start = 0; start < asked.length; start += MOST_TEXTS)
      yield* addUnknown(serviceId, asked.slice(start, start + MOST_TEXTS));
  }

  #isKnown(key: string): boolean {
    if (this.#known.has(key)) return true;
    this.#known.add(key);
    return false;
  }
}

/**
 * Step by step for all of them. FTS5 writes what it has collected to the disk whenever another statement opens a savepoint,
 * so a term followed by its words, again and again, takes five times as long.
 */
function* addUnknown(serviceId: number, asked: readonly string[]): UnitOfWork<void> {
  const unknown = yield* rows(selectUnknown, { serviceId, texts: toList(asked) });
  if (unknown.length === 0) return;
  const texts = unknown.map(({ text }) => text);
  yield* each(
    insertTerm,
    texts.map((text) => ({ serviceId, text, folded: foldText(text) })),
  );
  const added = yield* rows(selectTermIds, { serviceId, texts: toList(texts) });
  yield* putTexts(
    'term_text',
    added.flatMap(({ id, text }) => (id === null ? [] : { id, words: wordsOfNames([text]) })),
  );
}

/** Forgets what no report of the feed is found by any more, after this one has gone or has changed. */
export function* forgetUnused(serviceId: number, report: SearchedReport): UnitOfWork<void> {
  const { host } = report;
  yield* rows(deleteUnusedHost, { reversed: hostKey(host), serviceId, host });
  for (const text of termsOf(report)) yield* forgetUnusedTerm(serviceId, text);
}

/** The same for reports that have taken other names, and have kept all the rest. */
export function* forgetUnusedNames(
  names: readonly { readonly serviceId: number; readonly name: string }[],
): UnitOfWork<void> {
  const distinct = new Map(names.map((one) => [`${one.serviceId} ${one.name}`, one]));
  const units = [...distinct.values()].map((one) => forgetUnusedTerm(one.serviceId, one.name));
  yield* inParallel(...units);
}

function* forgetUnusedTerm(serviceId: number, text: string): UnitOfWork<void> {
  const gone = yield* row(deleteUnusedTerm, { serviceId, text });
  if (gone !== undefined) yield* removeText('term_text', gone.id);
}

export function hostKey(host: string): string {
  return isAddress(host) ? host : reverseHost(host);
}

function termsOf({ name, tags }: SearchedReport): readonly string[] {
  return [...new Set([name, ...tags])];
}

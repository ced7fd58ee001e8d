import type { ReportFound, SampleFound, Service } from '../../../../src/client/wire.ts';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import { nameOf, pageOfNamed, type SearchTarget } from './search-target.ts';

export type SuggestionTarget =
  | SearchTarget
  | { readonly to: '/feeds/$service'; readonly params: { readonly service: string } };

export interface Suggestion {
  readonly id: string;
  readonly text: string;
  /** What is known of it, or what opening it costs. */
  readonly note?: string | undefined;
  readonly target: SuggestionTarget;
}

export interface SuggestionGroup {
  readonly title: string;
  readonly suggestions: readonly Suggestion[];
}

const MAX_PER_GROUP = 4;
const NAMES = { file: 'File', c2: 'C2', host: 'Host' } as const;

interface Known {
  readonly services: readonly Service[];
  readonly results: readonly (ReportFound | SampleFound)[];
}

/** Suggestions by kind. What was typed comes first: Enter opens it. */
export function suggestionsOf(text: string, known: Known): readonly SuggestionGroup[] {
  const query = text.trim();
  if (query === '') return [];
  const groups = [
    typed(query),
    feeds(query, known.services),
    files(known.results),
    words(query, known.results),
    addresses(known.results),
    {
      title: 'Search',
      suggestions: [
        { id: 'all', text: `All results for “${shorten(query)}”`, target: find(query) },
      ],
    },
  ];
  return groups.filter(({ suggestions }) => suggestions.length > 0);
}

function typed(query: string): SuggestionGroup {
  const named = nameOf(query);
  if (named === undefined) return { title: '', suggestions: [] };
  const value = named.kind === 'file' ? named.hash : named.kind === 'c2' ? named.c2 : named.host;
  return {
    title: NAMES[named.kind],
    suggestions: [
      {
        id: 'typed',
        text: named.kind === 'file' ? shortHash(value) : defang(value),
        note: named.kind === 'file' ? 'costs one unit' : undefined,
        target: pageOfNamed(named),
      },
    ],
  };
}

/** Whether the name of a service has the text in it. */
export function isNamed({ slug, name }: Service, text: string): boolean {
  const wanted = text.toLowerCase();
  return slug.includes(wanted) || name.toLowerCase().includes(wanted);
}

function feeds(query: string, services: readonly Service[]): SuggestionGroup {
  const found = services.filter((service) => isNamed(service, query));
  return {
    title: 'Feeds',
    suggestions: found.slice(0, MAX_PER_GROUP).map(({ slug, name }) => ({
      id: `feed-${slug}`,
      text: visible(name),
      note: name === slug ? undefined : slug,
      target: { to: '/feeds/$service', params: { service: slug } },
    })),
  };
}

function files(results: Known['results']): SuggestionGroup {
  const samples = results.filter((one) => one.type === 'sample');
  return {
    title: 'Files · one unit each',
    suggestions: samples.slice(0, MAX_PER_GROUP).map(({ sha256Hash, fileName, tags }) => ({
      id: `file-${sha256Hash}`,
      text: fileName === '' ? shortHash(sha256Hash) : shorten(fileName),
      note: [shortHash(sha256Hash), ...tags.slice(0, 2).map(({ name }) => visible(name))].join(
        ' · ',
      ),
      target: { to: '/files/$hash', params: { hash: sha256Hash } },
    })),
  };
}

function addresses(results: Known['results']): SuggestionGroup {
  const reports = results.filter((one) => one.type === 'report');
  const byAddress = Map.groupBy(reports, ({ report }) => report.c2Address);
  return {
    title: 'C2 addresses',
    suggestions: [...byAddress].slice(0, MAX_PER_GROUP).map(([c2, found]) => ({
      id: `c2-${c2}`,
      text: shorten(defang(c2)),
      note: `${found[0]?.report.service} · ${found[0]?.report.status}`,
      target: { to: '/c2/$c2', params: { c2 } },
    })),
  };
}

/** Tags, families and accounts of what was found that begin with what was typed. */
function words(query: string, results: Known['results']): SuggestionGroup {
  const wanted = query.toLowerCase();
  const found = new Map<string, Suggestion>();
  for (const [kind, word] of results.flatMap(wordsOf)) {
    const id = `${kind}-${word.toLowerCase()}`;
    if (word.toLowerCase().startsWith(wanted) && !found.has(id))
      found.set(id, { id, text: shorten(word), note: kind, target: find(word) });
  }
  return {
    title: 'Tags, families and accounts',
    suggestions: [...found.values()].slice(0, MAX_PER_GROUP),
  };
}

function wordsOf(found: ReportFound | SampleFound): readonly (readonly [string, string])[] {
  if (found.type === 'sample') return found.tags.map(({ name }) => ['tag', name]);
  const { tags, name, reportedBy } = found.report;
  // Without a family, a report has the name of its first tag.
  const hasFamily = name !== UNNAMED && name !== tags[0];
  return [
    ...tags.map((tag) => ['tag', tag] as const),
    ...(hasFamily ? [['family', name] as const] : []),
    ['account', reportedBy],
  ];
}

/** The name of a report with neither a family nor a tag. */
const UNNAMED = 'unknown';

function find(q: string): SuggestionTarget {
  return { to: '/find', search: { q } };
}

function shorten(text: string): string {
  const shown = visible(text);
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown;
}

function shortHash(hash: string): string {
  return `${hash.slice(0, 8)}…${hash.slice(-8)}`;
}

import type { SearchListAnswer } from '../../../../src/client/wire.ts';
import { csvOf } from '../../text/csv.ts';
import { defang } from '../../text/defang.ts';

export type Found = SearchListAnswer['results'][number];
export type Answer = Pick<SearchListAnswer, 'query' | 'results' | 'hasMore' | 'error'>;

/** The columns of `rapsheet search - --output csv`. */
const COLUMNS = [
  'query',
  'type',
  'match',
  'name',
  'c2',
  'tags',
  'service',
  'status',
  'reported_at',
  'id',
  'sha256',
  'note',
];

export function toCsv(answers: readonly Answer[]): string {
  return csvOf([COLUMNS, ...answers.flatMap(rowsOf)]);
}

function rowsOf({ query, results, hasMore, error }: Answer): readonly (readonly string[])[] {
  if (results.length === 0)
    return [[query, ...COLUMNS.slice(2).map(() => ''), error ?? 'Nothing was found.']];
  return results.map((found, index) => [
    query,
    found.type,
    found.match,
    ...cellsOf(found),
    hasMore && index === results.length - 1 ? 'There may be more.' : '',
  ]);
}

function cellsOf(found: Found): readonly string[] {
  if (found.type === 'sample') {
    const tags = found.tags.map(({ name }) => name).join('|');
    return [found.fileName, '', tags, '', '', '', '', found.sha256Hash];
  }
  const { name, c2Address, tags, service, status, reportedAt, id, file256Hash } = found.report;
  return [name, c2Address, tags.join('|'), service, status, reportedAt, id, file256Hash];
}

/** Every C2, defanged, and every SHA-256 once. */
export function indicatorsOf(answers: readonly Answer[]): readonly string[] {
  const found = answers.flatMap(({ results }) => results);
  const c2s = found.flatMap((one) => (one.type === 'report' ? [one.report.c2Address] : []));
  const hashes = found.map((one) =>
    one.type === 'report' ? one.report.file256Hash : one.sha256Hash,
  );
  return [...new Set([...c2s.map(defang), ...hashes])];
}

import { stringifySearch } from '../../../text/search-values.ts';
import type { FeedFilter } from '../filters.ts';

/** What a consumer's configuration is filled in with. */
export interface Subject {
  /** The address of this server. */
  readonly origin: string;
  /** The slug of the feed, or `all`. */
  readonly service: string;
  readonly filter: FeedFilter;
  readonly isOwner: boolean;
  readonly isResearcher: boolean;
}

/** Something to paste: a command, a file's content or the values of a form. */
export interface Snippet {
  /** Where it belongs. */
  readonly label: string;
  readonly text: string;
}

/** A program or format that reads the feed, or writes to it. */
export interface Consumer {
  readonly title: string;
  readonly note: string;
  readonly snippets: readonly Snippet[];
  /** The export that it reads, to preview and to download. */
  readonly reads?: ExportChoice;
}

/** A format with its options. */
export interface ExportChoice {
  readonly format: string;
  readonly options?: Readonly<Record<string, string>>;
}

export interface ConsumerGroup {
  readonly title: string;
  readonly consumers: readonly Consumer[];
}

export const BEARER = '-H "Authorization: Bearer $TOKEN"';

/** The path of an export with the filters in force. */
export function exportPath(
  { service, filter }: Pick<Subject, 'service' | 'filter'>,
  { format, options }: ExportChoice,
): string {
  const search = stringifySearch({ ...filter, ...options });
  return `/feed/${encodeURIComponent(service)}/export/${format}${search}`;
}

/** Downloads an export if it has changed; the file is replaced only by a complete one. */
export function fetchCommand(subject: Subject, reads: ExportChoice, file: string): string {
  const url = quote(`${subject.origin}${exportPath(subject, reads)}`);
  return [
    `curl -fsS --compressed ${url} ${BEARER} \\`,
    `  --etag-compare ${file}.etag --etag-save ${file}.etag -o ${file}.new &&`,
    `  { [ ! -s ${file}.new ] || mv ${file}.new ${file}; }`,
  ].join('\n');
}

/** For a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

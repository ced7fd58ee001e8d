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

/** Fetches a list with the script of the documentation. */
export function fetchCommand(subject: Subject, reads: ExportChoice, file: string): string {
  return `rapsheet-fetch ${quote(`${subject.origin}${exportPath(subject, reads)}`)} ${file}`;
}

/** A line of a file in `/etc/cron.d`, where a percent sign would end the command. */
export function cronLine(command: string): string {
  return `*/5 * * * * root ${command.replaceAll('%', String.raw`\%`)}`;
}

/** For a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

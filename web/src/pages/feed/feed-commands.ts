import { stringifySearch } from '../../text/search-values.ts';
import type { FeedFilter } from './filters.ts';

/** A way to use a feed, with the line to paste. */
export interface FeedCommand {
  readonly title: string;
  readonly note: string;
  readonly line: string;
}

interface Subject {
  /** The address of this server. */
  readonly origin: string;
  readonly service: string;
  readonly filter: FeedFilter;
  readonly isOwner: boolean;
  readonly isResearcher: boolean;
}

const TOKEN = '-H "Authorization: Bearer $TOKEN"';
const JSON_BODY = "-H 'Content-Type: application/json'";

/** Every form in which the server offers a feed. */
export function feedCommands(subject: Subject): readonly FeedCommand[] {
  return [...readingCommands(subject), ...writingCommands(subject)];
}

function readingCommands({ origin, service, filter }: Subject): readonly FeedCommand[] {
  const feed = `${origin}/feed/${encodeURIComponent(service)}`;
  const search = stringifySearch({ ...filter, limit: '1000' });
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  return [
    {
      title: hasFilter ? 'This list as JSON, with its filters' : 'The list as JSON',
      note: 'Newest first, 1000 a page; continue with cursor=<nextCursor> while hasMore is true.',
      line: `curl ${quote(`${feed}/reports${search}`)} ${TOKEN}`,
    },
    {
      title: 'Changes, to keep a copy',
      note: 'Oldest first, deletions included; store next and continue with since=<next>.',
      line: `curl ${quote(`${feed}/changes?since=0&limit=1000`)} ${TOKEN}`,
    },
    {
      title: 'A stream of changes',
      note: 'Server-sent events as they happen; send the last id as Last-Event-ID to resume without a gap.',
      line: `curl -N ${quote(`${feed}/stream`)} ${TOKEN}`,
    },
    {
      title: 'NDJSON by the command line',
      note: 'One report per line; the token is read from RAPSHEET_TOKEN.',
      line: `RAPSHEET_URL=${quote(origin)} rapsheet feed list ${service} --all --ndjson`,
    },
    {
      title: 'A file that follows the feed',
      note: 'It resumes where it stopped, also after a restart.',
      line: `RAPSHEET_URL=${quote(origin)} rapsheet feed follow ${service} --state ${service}.state --json >> ${service}.ndjson`,
    },
    {
      title: 'Figures as JSON',
      note: 'Reports per day, statuses, families and the time to act.',
      line: `curl ${quote(`${feed}/statistics?days=30`)} ${TOKEN}`,
    },
  ];
}

function writingCommands(subject: Subject): readonly FeedCommand[] {
  const { origin, service, isOwner, isResearcher } = subject;
  const feed = `${origin}/feed/${encodeURIComponent(service)}`;
  const commands: FeedCommand[] = [];
  if (isResearcher)
    commands.push({
      title: 'Report many at once',
      note: 'A report per line, at most 10,000; each line is answered on its own.',
      line: `curl ${quote(`${feed}/reports`)} ${TOKEN} -H 'Content-Type: application/x-ndjson' --data-binary @reports.ndjson`,
    });
  if (isOwner)
    commands.push({
      title: 'A webhook',
      note: 'Each change is sent to your URL, signed. The desk has the log of deliveries.',
      line: `curl ${quote(`${feed}/webhooks`)} ${TOKEN} ${JSON_BODY} -d '{"url":"https://desk.example/hooks/rapsheet"}'`,
    });
  return commands;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

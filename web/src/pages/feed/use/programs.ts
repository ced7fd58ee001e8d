import { stringifySearch } from '../../../text/search-values.ts';
import { BEARER, type Consumer, quote, type Subject } from './consumer.ts';

const JSON_BODY = "-H 'Content-Type: application/json'";

/** Scripts that read every change of a feed. */
export function readingPrograms({ origin, service, filter }: Subject): readonly Consumer[] {
  const feed = `${origin}/feed/${encodeURIComponent(service)}`;
  const search = stringifySearch({ ...filter, limit: '1000' });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return [
    {
      title: isFiltered ? 'Pages of this list' : 'Pages of the list',
      note: 'Newest first, 1000 a page; continue with cursor=<nextCursor> while hasMore is true.',
      snippets: shell(`curl ${quote(`${feed}/reports${search}`)} ${BEARER}`),
    },
    {
      title: 'Changes',
      note: 'To keep a copy. Oldest first, deletions included; store next and continue with since=<next>.',
      snippets: shell(`curl ${quote(`${feed}/changes?since=0&limit=1000`)} ${BEARER}`),
    },
    {
      title: 'Stream',
      note: 'Server-sent events as they happen; send the last id as Last-Event-ID to resume without a gap.',
      snippets: shell(`curl -N ${quote(`${feed}/stream`)} ${BEARER}`),
    },
    {
      title: 'Command line',
      note: 'The token is read from RAPSHEET_TOKEN. Following resumes where it stopped, even after a restart.',
      snippets: [
        ...shell(`RAPSHEET_URL=${quote(origin)} rapsheet report list ${service} --all --ndjson`),
        ...shell(
          `RAPSHEET_URL=${quote(origin)} rapsheet feed follow ${service} --state ${service}.state --json >> ${service}.ndjson`,
        ),
      ],
    },
    python(origin, service),
    {
      title: 'Figures',
      note: 'Reports per day, statuses, families and the time to act.',
      snippets: shell(`curl ${quote(`${feed}/statistics?days=30`)} ${BEARER}`),
    },
  ];
}

function python(origin: string, service: string): Consumer {
  return {
    title: 'Python',
    note: 'The package of clients/python. It resumes from the position that you store.',
    snippets: [
      {
        label: 'Python',
        text: `import os\nfrom rapsheet import Rapsheet\n\nclient = Rapsheet("${origin}", os.environ["TOKEN"])\nfor change in client.follow("${service}"):\n    print(change.sequence, change.type, change.id)`,
      },
    ],
  };
}

/** What researchers and owners send. */
export function writingPrograms(subject: Subject): readonly Consumer[] {
  const { origin, service, isOwner, isResearcher } = subject;
  const feed = `${origin}/feed/${encodeURIComponent(service)}`;
  const consumers: Consumer[] = [];
  if (isResearcher)
    consumers.push(
      {
        title: 'Report many at once',
        note: 'A report per line, at most 10,000; each line is answered on its own.',
        snippets: shell(
          `curl ${quote(`${feed}/reports`)} ${BEARER} -H 'Content-Type: application/x-ndjson' --data-binary @reports.ndjson`,
        ),
      },
      {
        title: 'Report by XARF',
        note: 'One XARF v4 object with source_identifier, source_port and a SHA-256.',
        snippets: shell(
          `curl ${quote(`${feed}/xarf`)} ${BEARER} ${JSON_BODY} --data-binary @report.xarf.json`,
        ),
      },
      {
        title: 'Report by MISP event',
        note: 'An event as MISP exports it, with ip-dst|port or hostname|port and sha256 attributes.',
        snippets: shell(
          `curl ${quote(`${feed}/misp`)} ${BEARER} ${JSON_BODY} --data-binary @event.json`,
        ),
      },
    );
  if (isOwner)
    consumers.push({
      title: 'Webhook',
      note: 'Each change is sent to your URL, signed. The desk has the log of deliveries.',
      snippets: shell(
        `curl ${quote(`${feed}/webhooks`)} ${BEARER} ${JSON_BODY} -d '{"url":"https://desk.example/hooks/rapsheet"}'`,
      ),
    });
  return consumers;
}

function shell(text: string): Consumer['snippets'] {
  return [{ label: 'Shell', text }];
}

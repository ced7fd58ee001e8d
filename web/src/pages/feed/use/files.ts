import {
  BEARER,
  type Consumer,
  cronLine,
  type ExportChoice,
  exportPath,
  fetchCommand,
  quote,
  type Subject,
} from './consumer.ts';
import { FETCH_SETUP } from './fetch-script.ts';

interface FileFormat extends ExportChoice {
  readonly title: string;
  readonly note: string;
  readonly file: string;
  /** Whether its last line is the end mark that the script checks. */
  readonly isText?: boolean;
}

const FORMATS: readonly FileFormat[] = [
  {
    title: 'NDJSON',
    note: 'A report on each line with its status; the last line tells how many there were (end=0 leaves it out).',
    format: 'ndjson',
    file: 'reports.ndjson',
  },
  { title: 'JSON', note: 'The same as one document.', format: 'json', file: 'reports.json' },
  {
    title: 'CSV',
    note: 'For databases and programs: every field quoted, nothing changed. The last line is an end mark (end=0 leaves it out).',
    format: 'csv',
    file: 'reports.csv',
    isText: true,
  },
  {
    title: 'SHA-256 list',
    note: 'The hashes of the reported files, one on each line.',
    format: 'sha256',
    file: 'samples.sha256',
    isText: true,
  },
  {
    title: 'Sigma',
    note: 'A rule for each C2, for SIEMs and tools that search logs. Filter the feed to what yours can run.',
    format: 'sigma',
    file: 'rapsheet.yml',
    isText: true,
  },
  {
    title: 'STIX 2.1',
    note: 'A bundle with indicators, infrastructure, malware and their relationships.',
    format: 'stix',
    file: 'reports.stix.json',
  },
  {
    title: 'XARF',
    note: 'For abuse desks with a ticket system that reads XARF v4.',
    format: 'xarf',
    file: 'reports.xarf.json',
  },
  {
    title: 'ThreatFox',
    note: 'The 15 columns of the ThreatFox export, for connectors that read it.',
    format: 'threatfox',
    file: 'threatfox.csv',
    isText: true,
  },
];

/** Files to download, by hand or by a script. */
export function files(subject: Subject): readonly Consumer[] {
  return [spreadsheet(subject), ...FORMATS.map((one) => ofFormat(subject, one))];
}

function ofFormat(subject: Subject, format: FileFormat): Consumer {
  const { title, note, file, isText = false, ...reads } = format;
  const path = exportPath(subject, reads);
  const fetch = fetchCommand(subject, reads, `/var/lib/rapsheet/${file}`);
  return {
    title,
    note,
    snippets: [
      {
        label: 'Shell',
        text: `curl -fsS --compressed ${quote(`${subject.origin}${path}`)} ${BEARER} -o ${file}`,
      },
      ...(isText
        ? [
            ...FETCH_SETUP,
            { label: '/etc/cron.d/rapsheet: only if it has changed', text: cronLine(fetch) },
          ]
        : []),
    ],
    reads,
  };
}

function spreadsheet(subject: Subject): Consumer {
  const reads = { format: 'csv', options: { flavour: 'spreadsheet' } };
  const path = exportPath(subject, reads);
  return {
    title: 'Spreadsheet',
    note: 'CSV in which no field can become a formula. Download it, or let Excel fetch it (Data, Get Data, Blank Query).',
    snippets: [
      {
        label: 'Power Query of Excel; replace $TOKEN',
        text: `let\n  Source = Csv.Document(\n    Web.Contents("${subject.origin}${path}", [Headers = [Authorization = "Bearer $TOKEN"]]),\n    [Delimiter = ",", Encoding = 65001]),\n  Reports = Table.RemoveLastN(Table.PromoteHeaders(Source), 1)\nin\n  Reports`,
      },
    ],
    reads,
  };
}

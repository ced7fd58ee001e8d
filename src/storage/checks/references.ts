import { sql } from 'kysely';
import { type ForbiddenRows, forbiddenRows, forbiddenRowsCheck } from './check.ts';

/** Rows of `from` refer to rows of `to`, which must exist. */
interface Reference {
  readonly from: string;
  /** The referring columns, with the columns they refer to. */
  readonly by: Readonly<Record<string, string>>;
  readonly to: string;
  /** The columns that identify the row in a finding. */
  readonly shown: readonly string[];
}

const reference = (
  from: string,
  by: Readonly<Record<string, string>>,
  to: string,
  shown: readonly string[] = ['id'],
): Reference => ({ from, by, to, shown });

const OF_ACCOUNT = { account_id: 'id' };
const OF_SERVICE = { service_id: 'id' };
const OF_REPORTER = { reporter_id: 'id' };
const OF_SAMPLE = { sample_id: 'id' };
const OF_WEBHOOK = { webhook_id: 'id' };
const C2 = ['service_id', 'host', 'port', 'reporter_id'];

const REFERENCES: readonly Reference[] = [
  reference('account_service', OF_ACCOUNT, 'account', ['account_id', 'service_id']),
  reference('account_service', OF_SERVICE, 'service', ['account_id', 'service_id']),
  reference('token', OF_ACCOUNT, 'account'),
  reference('session', OF_ACCOUNT, 'account'),
  reference('sign_in_link', OF_ACCOUNT, 'account'),
  reference('account_usage', OF_ACCOUNT, 'account', ['account_id']),
  reference('account_day', OF_ACCOUNT, 'account', ['account_id', 'day']),
  reference('account_charge', OF_ACCOUNT, 'account', ['account_id', 'day', 'token_id']),
  reference('service_pattern', { slug: 'slug' }, 'service', ['key', 'slug']),
  reference('service_challenge', { slug: 'slug' }, 'service', ['slug']),
  reference('service_claim', { slug: 'slug' }, 'service', ['slug', 'suffix']),
  reference('report', OF_SERVICE, 'service'),
  reference('report', OF_REPORTER, 'account'),
  reference('report_tag', { number: 'number', service_id: 'service_id' }, 'report', [
    'service_id',
    'tag',
    'number',
  ]),
  reference('host_report', { number: 'number', service_id: 'service_id', host: 'host' }, 'report', [
    'service_id',
    'host',
    'number',
  ]),
  reference('status_change', { number: 'number' }, 'report', ['number', 'sequence']),
  reference('c2_reporter', OF_SERVICE, 'service', C2),
  reference('c2_reporter', OF_REPORTER, 'account', C2),
  reference('c2_rejection', OF_SERVICE, 'service', ['service_id', 'host', 'port']),
  reference('event', OF_SERVICE, 'service', ['service_id', 'sequence']),
  reference('tombstone', OF_SERVICE, 'service', ['report_id']),
  reference('idempotency', OF_ACCOUNT, 'account', ['account_id', 'route', 'key']),
  reference('upload', { uploaded_by: 'id' }, 'account', ['sha256']),
  reference('further_upload', OF_ACCOUNT, 'account', ['sha256', 'account_id']),
  reference('further_upload', { sha256: 'sha256' }, 'upload', ['sha256', 'account_id']),
  reference('proposal', OF_ACCOUNT, 'account'),
  reference('proposal', OF_SERVICE, 'service'),
  reference('proposal', { sha256: 'sha256' }, 'upload'),
  reference('sample_detail', OF_SAMPLE, 'sample', ['sample_id']),
  reference('sample_c2', OF_SAMPLE, 'sample', ['number']),
  reference('sample_hash', OF_SAMPLE, 'sample'),
  reference('fuzzy_hash', { id: 'id' }, 'sample'),
  reference('gram', { fuzzy_hash_id: 'id' }, 'fuzzy_hash', ['gram', 'fuzzy_hash_id']),
  reference('tlsh', { id: 'id' }, 'sample'),
  reference('tlsh_band', { tlsh_id: 'id' }, 'tlsh', ['band', 'tlsh_id']),
  reference('webhook', OF_SERVICE, 'service'),
  reference('webhook_secret', OF_WEBHOOK, 'webhook', ['webhook_id', 'number']),
  reference('delivery', OF_WEBHOOK, 'webhook'),
  reference('search_host', OF_SERVICE, 'service', ['reversed', 'service_id']),
  reference('search_term', OF_SERVICE, 'service'),
];

/** Orphans: rows that refer to missing rows. */
export const references = forbiddenRowsCheck('references', REFERENCES.map(orphans));

function orphans({ from, by, to, shown }: Reference): ForbiddenRows {
  const pairs = Object.entries(by);
  return forbiddenRows(`${from}, of no ${to}`, () => {
    const columns = sql.join(shown.map((column) => sql.ref(`child.${column}`)));
    const same = sql.join(
      pairs.map(([one, other]) => sql`${sql.ref(`parent.${other}`)} = ${sql.ref(`child.${one}`)}`),
      sql` and `,
    );
    return sql`select ${columns} from ${sql.table(from)} as child
      where not exists (select 1 from ${sql.table(to)} as parent where ${same})`;
  });
}

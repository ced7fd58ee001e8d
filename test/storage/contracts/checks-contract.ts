import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CheckResult, examineStore } from '../../../src/operations/examine-store.ts';
import { findRepairs, repairStore } from '../../../src/operations/repair-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Filled } from '../filled.ts';
import { idOf, readVersions } from './published-contract.ts';

/** A store that a test can damage. */
export interface Breakable {
  readonly store: Store;
  /** Runs a statement on the database directly, without its constraints. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

export interface ChecksRig {
  readonly filled: Filled;
  /** A copy of the filled store. */
  copy(): Promise<Breakable>;
  close(): Promise<void>;
}

const files = { has: async () => true, read: async () => undefined };

async function examine(store: Store): Promise<ReadonlyMap<string, readonly string[]>> {
  const results: CheckResult[] = await Array.fromAsync(
    examineStore({ store, files }, { quick: true }),
  );
  return new Map(
    results.filter(({ wrong }) => wrong.length > 0).map(({ name, wrong }) => [name, wrong]),
  );
}

/** The statement that damages the store, the check that finds it, and the finding. */
type Damage = readonly [
  title: string,
  sql: (filled: Filled) => string,
  check: string,
  finding: (filled: Filled) => RegExp,
];

/** The id of the first service that was added; that of the built-in one is 1. */
const FEED = 2;

const always = (finding: RegExp) => () => finding;

const DAMAGES: readonly Damage[] = [
  ...[
    ['token', "update token set account_id = 'nobody'", /^token, of no account: /],
    [
      'account_service',
      "insert into account_service values ('nobody', 1)",
      /^account_service, of no account: nobody 1/,
    ],
    [
      'report',
      "update report set reporter_id = 'nobody' where number = 1",
      /^report, of no account/,
    ],
    [
      'report_tag',
      "insert into report_tag values (1, 'x', 99)",
      /^report_tag, of no report: 1 x 99/,
    ],
    [
      'host_report',
      "insert into host_report values (1, 'h', 99)",
      /^host_report, of no report: 1 h 99/,
    ],
    [
      'c2_reporter',
      "insert into c2_reporter values (77, 'h', 1, 'nobody', 1)",
      /^c2_reporter, of no service: 77 h 1 nobody/,
    ],
    [
      'proposal',
      "update proposal set account_id = 'nobody' where state = 'reported'",
      /^proposal, of no account: /,
    ],
    [
      'webhook_secret',
      "update webhook_secret set webhook_id = 'gone'",
      /^webhook_secret, of no webhook: gone 1/,
    ],
    [
      'delivery',
      "update delivery set webhook_id = 'gone' where number = 1",
      /^delivery, of no webhook/,
    ],
    ['upload', "update upload set uploaded_by = 'nobody'", /^upload, of no account: [0-9a-f]{64}/],
    ['sample_detail', 'update sample_detail set sample_id = 5', /^sample_detail, of no sample: 5/],
    [
      'account_day',
      "update account_day set account_id = 'nobody'",
      /^account_day, of no account: nobody 20/,
    ],
    [
      'account_charge',
      "update account_charge set account_id = 'nobody'",
      /^account_charge, of no account: nobody 20/,
    ],
    [
      'status_change',
      'update status_change set number = 9999',
      /^status_change, of no report: 9999 /,
    ],
    [
      'service_pattern',
      "insert into service_pattern values ('x', 'nobody', 'x', 0)",
      /^service_pattern, of no service: x nobody/,
    ],
    [
      'service_claim',
      "insert into service_claim (slug, suffix, method, asked_at) values ('nobody', 'x.example', 'dns', '2026-08-26T10:00:00Z')",
      /^service_claim, of no service: nobody x.example/,
    ],
    [
      'service_challenge',
      "insert into service_challenge values ('nobody', 'x', '2026-08-26T10:00:00Z')",
      /^service_challenge, of no service: nobody/,
    ],
    ['gram', 'insert into gram values (1, 777)', /^gram, of no fuzzy_hash: 1 777/],
    ['tlsh', "insert into tlsh values (777, '')", /^tlsh, of no sample: 777/],
    ['band', 'insert into tlsh_band values (1, 777)', /^tlsh_band, of no tlsh: 1 777/],
    [
      'search_term',
      "insert into search_term (id, service_id, text, folded) values (99, 77, 'x', 'x')",
      /^search_term, of no service: 99/,
    ],
    [
      'idempotency',
      "update idempotency set account_id = 'nobody'",
      /^idempotency, of no account: nobody create/,
    ],
  ].map(
    ([title, sql, finding]): Damage => [
      `an orphan in ${title}`,
      () => String(sql),
      'references',
      always(finding as RegExp),
    ],
  ),
  [
    'a charge that is missing',
    () => 'delete from account_charge where day < (select max(day) from account_charge)',
    'charges of accounts',
    always(
      /^account and day, whose charges do not add up to its units: the difference: \S+ 20\S+ 1$/,
    ),
  ],
  [
    'a charge too many on the current day',
    () =>
      'update account_charge set units = units + 2 where day = (select max(day) from account_charge)',
    'charges of accounts',
    always(/^account and day, whose charges .*: \S+ 20\S+ -2$/),
  ],
  [
    'a charge of another account',
    () => "update account_charge set token_id = 'nobody'",
    'charges of accounts',
    always(/^account_charge, with a token of no account or of another one: \S+ 20\S+ nobody$/),
  ],
  [
    'a pattern by which no host is found',
    () => 'delete from service_pattern',
    'hosts and networks of services',
    ({ services }) => new RegExp(`^${services[0]}: it is found by other hosts and networks`),
  ],
  [
    'a length of networks that is not tried',
    () => 'delete from network_length where version = 6',
    'lengths of networks of services',
    always(/^networks by length: IPv4\/24: 1 are stored, IPv4\/24: 1,IPv6\/32: 1 are declared$/),
  ],
  [
    'a public suffix among the hosts of a service',
    () => `update service set hosts = '["*.co.uk"]'`,
    'public suffixes among the hosts of services',
    ({ services }) => new RegExp(`^${services[0]}: \\*\\.co\\.uk is a public suffix`),
  ],
  [
    'a pattern that is verified without a proof',
    () => 'update service_claim set verified_at = null',
    'hosts and networks of services',
    ({ services }) => new RegExp(`^${services[0]}: other hosts are marked as verified`),
  ],
  [
    'a proof of a host that is not declared',
    () => "update service_claim set suffix = 'elsewhere.example', verified_at = null",
    'hosts and networks of services',
    ({ services }) => new RegExp(`^${services[0]}: .* (?:than it has proven|not declare)`),
  ],
  [
    'a wrong number of reports with a status',
    () => `update statistic_total set open = open + 1 where scope = ${FEED}`,
    'statistics of feeds',
    always(
      /^statistic_total, not the number of reports: scope and difference: 2 1 0 0 0 0 0 0 0 0$/,
    ),
  ],
  [
    'a day that is not counted',
    () => 'delete from statistic_day where scope > 0',
    'statistics of feeds',
    always(/^statistic_day, not the number of reports: scope and difference: \d 20\S+ -\d/),
  ],
  [
    'a name that is counted, although no report has it',
    () => "insert into statistic_family values (1, 'nobody', 2)",
    'statistics of feeds',
    always(/^statistic_family, not the number of reports: scope and difference: 1 nobody 2$/),
  ],
  [
    'a reporter whose reports are not counted',
    () => 'update statistic_reporter set open = open - 1, confirmed = 7',
    'statistics of feeds',
    always(/^statistic_reporter, not the number of reports: reporter_id and difference: /),
  ],
  [
    'counts of all feeds that are not those of the feeds',
    () => 'delete from statistic_total where scope < 0',
    'statistics of feeds',
    always(/^statistic_total of all feeds, not the sum of the feeds: scope and difference: -\d/),
  ],
  [
    'a change that is missing',
    () => `delete from event where service_id = ${FEED} and sequence = 2`,
    'sequences of feeds',
    ({ services }) => new RegExp(`^${services[0]}: 1 changes are missing, the first is 2`),
  ],
  [
    'a change after the last',
    () =>
      `insert into event select service_id, 999, type, report_id, at, number from event where service_id = ${FEED} and sequence = 1`,
    'sequences of feeds',
    always(/1 changes are outside of 1 to /),
  ],
  [
    'a report without its change',
    () =>
      'update report set sequence = sequence + 100, created_sequence = created_sequence + 100 where number = 1',
    'changes and reports',
    ({ reportId }) => new RegExp(`^report, without its last change: ${reportId}`),
  ],
  [
    'a report that lags behind its changes',
    ({ reportId }) => `update report set sequence = created_sequence where id = '${reportId}'`,
    'changes and reports',
    ({ reportId }) => new RegExp(`^report, older than a change of it: ${reportId}`),
  ],
  [
    'a creation that refers to another report',
    () => `update event set number = 2 where service_id = ${FEED} and sequence = 1`,
    'changes and reports',
    always(/^change, with the number of another report: 2 1 2/),
  ],
  [
    'a report that vanished',
    ({ reportId }) => `delete from report where id = '${reportId}'`,
    'changes and reports',
    ({ reportId }) =>
      new RegExp(`^change, of a report that neither exists nor was deleted: .*${reportId}`),
  ],
  [
    'a deletion without a tombstone',
    () => 'delete from tombstone',
    'changes and reports',
    ({ deletedId }) => new RegExp(`^deletion, without a tombstone: .*${deletedId}`),
  ],
  [
    'a tombstone without a deletion',
    ({ deletedId }) =>
      `update event set type = 'updated' where type = 'deleted' and report_id = '${deletedId}'`,
    'changes and reports',
    ({ deletedId }) => new RegExp(`^tombstone, without its deletion: ${deletedId}`),
  ],
  [
    'a tombstone of a report that exists',
    ({ reportId }) =>
      `insert into tombstone (report_id, service_id, sequence, deleted_at, deleted_by, reason) select id, service_id, sequence, updated_at, 'x', '' from report where id = '${reportId}'`,
    'changes and reports',
    ({ reportId }) => new RegExp(`^tombstone, of a report that exists: ${reportId}`),
  ],
  [
    'a version out of the order of the changes',
    () =>
      `update report set added_at = 1 where number = (select number from report where service_id = ${FEED} order by sequence desc limit 1)`,
    'order of publication',
    always(/^report, added out of the order of the changes: /),
  ],
  [
    'two versions of the same time',
    () => 'update report set added_at = 5',
    'order of publication',
    always(/^report, added out of the order of the changes: .* 5$/),
  ],
  [
    'a version without a time',
    ({ reportId }) => `update report set added_at = 0 where id = '${reportId}'`,
    'order of publication',
    ({ reportId }) =>
      new RegExp(`^report, added at no time or after the last change: ${reportId} 0`),
  ],
  [
    'a change that was not published',
    ({ reportId }) =>
      `update report set updated_at = '2099-01-01T00:00:00.000Z' where id = '${reportId}'`,
    'order of publication',
    ({ reportId }) => new RegExp(`^report, changed after it was added: ${reportId} `),
  ],
  [
    'a version after the last change',
    ({ deletedId }) =>
      `update tombstone set added_at = 9999999999999 where report_id = '${deletedId}'`,
    'order of publication',
    ({ deletedId }) => new RegExp(`^tombstone, added after the last change: ${deletedId}`),
  ],
  [
    'a tombstone of the time of a report',
    ({ deletedId }) =>
      `update tombstone set added_at = (select max(added_at) from report where report.service_id = tombstone.service_id) where report_id = '${deletedId}'`,
    'order of publication',
    ({ deletedId }) => new RegExp(`^tombstone, added at the time of a report: ${deletedId}`),
  ],
  [
    'a tombstone without its report',
    ({ deletedId }) => `update tombstone set host = null where report_id = '${deletedId}'`,
    'order of publication',
    ({ deletedId }) =>
      new RegExp(`^tombstone, without the report that was withdrawn: ${deletedId}`),
  ],
  [
    'a position of a MISP feed after the last change',
    () => `update misp_position set added_at = 9999999999999 where service_id = ${FEED}`,
    'events of MISP feeds',
    always(/^misp_position, after the last change: /),
  ],
  [
    'the event of a MISP feed without a position',
    () => `delete from misp_position where service_id = ${FEED}`,
    'events of MISP feeds',
    always(/^misp_event, without a position in the changes: /),
  ],
  [
    'a report that its day does not count',
    () => 'update report set day_part = 2 where number = 1',
    'events of MISP feeds',
    always(/^report, in a part that its day does not have: /),
  ],
  [
    'numbers out of order',
    () => 'update report set number = 999 where number = 1',
    'numbers of reports',
    always(/^report .*: number 999 is out of order|would be used again/),
  ],
  [
    'a tag by which a report is not found',
    () => "delete from report_tag where tag = 'rat'",
    'tags of reports',
    ({ reportId }) => new RegExp(`^tag of a report, by which it is not found: ${reportId} rat`),
  ],
  [
    'a tag that no report has',
    () => "insert into report_tag select service_id, 'other', number from report where number = 1",
    'tags of reports',
    always(/^tag that its report does not have: 1 other/),
  ],
  [
    'a report that is not listed by its host',
    () =>
      "delete from host_report where host = 'tunnel.example' and number = (select max(number) from host_report)",
    'hosts of reports',
    always(/^host, with other reports than it is listed with: 3 tunnel.example/),
  ],
  [
    'a rare host that is listed as a frequent one',
    () => 'insert into host_report select service_id, host, number from report where number = 1',
    'hosts of reports',
    always(/^host, with other reports than it is listed with: 2 evil.example/),
  ],
  [
    'a report whose confirmation is not that of its file',
    () => "update report set confirmation = 'contradicted' where number = 1",
    'confirmations of reports',
    always(/^report \S+: it is contradicted, but its file says (unknown|confirmed)$/),
  ],
  [
    'a wrong count of a C2',
    () => "update c2_reporter set reports = 5 where host = 'evil.example'",
    'counts of C2 addresses',
    always(/^reporter of a C2, with another number of reports than counted: 2 evil.example 4444/),
  ],
  [
    'a C2 that is not counted',
    () => 'delete from c2_reporter',
    'counts of C2 addresses',
    always(/^report, that is not counted for its C2: .*evil.example 4444/),
  ],
  [
    'an invalid window',
    () => "update account set quota_window = 'soon'",
    'quotas of accounts',
    always(/its window "soon" is not the name of a day/),
  ],
  [
    'units below zero',
    () => 'update account set quota_used = -1, quota_extra = -2',
    'quotas of accounts',
    always(/: -1 units were used/),
  ],
  [
    'a wrong count of stored bytes',
    () => 'update account_usage set stored_bytes = stored_bytes + 1',
    'stored bytes of accounts',
    always(/^account, with another number of bytes than its samples have: \S+ (\d+) \d+$/),
  ],
  [
    'a wrong count of the bytes of statuses',
    () => 'update account_usage set status_bytes = status_bytes + 1',
    'stored bytes of accounts',
    always(/than the statuses of its submissions have: \S+ (\d+) \d+$/),
  ],
  [
    'an owner of unclaimed addresses without the role',
    () =>
      `insert into account_service select account.id, service.id from account, service
        where account.roles not like '%"admin"%' and service.slug = 'unclaimed'`,
    'desk of unclaimed addresses',
    always(/^account_service, of unclaimed without a role that owns it: \S+$/),
  ],
  [
    'an account with the role that does not own unclaimed addresses',
    () => `update account set roles = '["researcher","notices"]'`,
    'desk of unclaimed addresses',
    always(/^account, with a role that owns unclaimed, and without it: \S+$/),
  ],
  [
    'a wrong number of webhooks',
    ({ services }) => `update service set webhook_count = 7 where slug = '${services[1]}'`,
    'webhooks of feeds',
    ({ services }) => new RegExp(`than it says: ${services[1]} 7`),
  ],
  [
    'a proposal with the report of another C2',
    () => "update proposal set port = 7 where state = 'reported'",
    'reported proposals',
    always(/^proposal, with the report of another account, feed, file or C2: /),
  ],
  [
    'a file that is not found by a hash',
    () =>
      'delete from sample_hash where id = (select max(id) from sample_hash where sample_id = (select max(id) from sample))',
    'hashes of files',
    always(/^sample [0-9a-f]{64}: not found by its (?:sha256|blake3|sha512)$/),
  ],
  [
    'a hash that refers to no file',
    () => 'insert into sample_hash values (17, 777)',
    'references',
    always(/^sample_hash, of no sample: 17/),
  ],
  [
    'a hash whose row id is outside its range',
    () => 'update sample_hash set id = 17 where id = (select max(id) from sample_hash)',
    'ids of hashes',
    always(/^hash of sample [0-9a-f]{64}: the id 17 is outside its range/),
  ],
  [
    'a sample that failed without a reason',
    () => "update upload set reason = null where state = 'failed'",
    'states of samples',
    ({ failed }) => new RegExp(`^sample ${failed}: it failed without a reason`),
  ],
  [
    'a sample that is done without an analysis',
    () => "update upload set state = 'done' where state = 'failed'",
    'states of samples',
    ({ failed }) => new RegExp(`^sample ${failed}: it is done, but has no analysis`),
  ],
  [
    'a file that is not among similar ones',
    () => 'delete from gram',
    'index of similar files',
    always(/^fuzzy hash \d+: its index is incomplete/),
  ],
  [
    'a file that is not among those close by TLSH',
    () => 'delete from tlsh_band where band < 65536',
    'index of similar files by TLSH',
    always(/^TLSH digest \d+: its index is incomplete/),
  ],
  [
    'a host by which nothing is found',
    () => "delete from search_host where reversed = 'example.evil'",
    'hosts of the search',
    ({ reportId }) => new RegExp(`^report ${reportId}: it is not found by evil.example`),
  ],
  [
    'a name by which nothing is found',
    () => 'delete from search_term',
    'words of the search',
    always(/^name of a report, by which it is not found/),
  ],
  [
    'a name without words',
    () => 'delete from term_text where rowid = 1',
    'words of the search',
    always(/^name or tag, whose words are missing: 1 /),
  ],
  [
    'a file without words',
    () => 'delete from sample_text where rowid = (select max(id) from fuzzy_hash)',
    'words of the search',
    always(/^file, whose words are missing: \d+ a.exe/),
  ],
];

/** The findings of the examination on every database. */
export function checksContract(
  name: string,
  open: () => Promise<ChecksRig>,
  { loseJobs }: { readonly loseJobs: string },
): void {
  describe(`the examination of a ${name} store`, () => {
    let rig: ChecksRig;
    before(async () => {
      rig = await open();
    });
    after(() => rig.close());

    async function findings(sql: string) {
      const broken = await rig.copy();
      try {
        if (sql !== '') await broken.run(sql);
        return await examine(broken.store);
      } finally {
        await broken.close();
      }
    }

    it('finds nothing in a consistent store', async () => {
      assert.deepEqual([...(await findings(''))], []);
    });

    for (const [title, sql, check, finding] of DAMAGES) {
      it(`finds ${title}`, async () => {
        const found = (await findings(sql(rig.filled))).get(check) ?? [];
        const expected = finding(rig.filled);
        assert.ok(
          found.some((one) => expected.test(one)),
          `${expected} is not in ${JSON.stringify(found)}`,
        );
      });
    }

    it('leads to repairs of what a node leaves that is older than the order of publication', async () => {
      const { store, run, close } = await rig.copy();
      const deps = { store, now: () => new Date() };
      const slug = (await store.services.list())[0]?.slug ?? '';
      const shown = async () => (await readVersions(store, slug)).map(idOf);
      const all = await shown();
      // Created by it, without a time of publication; and two counters that it did not know.
      await run('update report set added_at = 0 where number in (1, 3)');
      await run('delete from statistic_reporter');
      // Its desk set a status.
      await run(`update report set added_at = 1, status = 'acknowledged' where number = 2`);
      const failed = await Array.fromAsync(examineStore({ store, files }, { quick: true }));
      const wrong = failed.filter((check) => check.wrong.length > 0);
      assert.deepEqual(await findRepairs(deps, wrong), { published: 3, recounts: true });
      assert.deepEqual(await findRepairs(deps, []), { published: 0, recounts: false });
      const { published, counted } = await repairStore(deps, () => undefined);
      assert.equal(published, 3);
      assert.ok(counted !== undefined && counted >= 3);
      assert.deepEqual([...(await examine(store))], []);
      assert.deepEqual((await shown()).sort(), all.sort());
      assert.deepEqual(await repairStore(deps, () => undefined), {
        published: 0,
        counted: undefined,
      });
      await close();
    });

    it('finds a pending sample without a job', async () => {
      const found = (await findings(loseJobs)).get('states of samples');
      const { waiting, done } = rig.filled;
      assert.deepEqual(
        found,
        [waiting, done].sort().map((sha256) => `sample ${sha256}: it is pending, but has no job`),
      );
    });

    it('reports ten findings and that there are more', async () => {
      const broken = await rig.copy();
      const values = Array.from({ length: 12 }, (_, at) => `(${at}, 777)`);
      await broken.run(`insert into gram values ${values.join()}`);
      const results = await Array.fromAsync(
        examineStore({ store: broken.store, files }, { quick: true }),
      );
      const references = results.find((result) => result.name === 'references');
      assert.equal(references?.wrong.length, 10);
      assert.equal(references?.hasMore, true);
      await broken.close();
    });
  });
}

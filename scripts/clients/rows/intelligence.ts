import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Client } from '../client.ts';
import { pythonPackage, pythonProgram } from '../sources.ts';
import { type C2, DEMO_FEED, FEED, type Report, type Trial } from '../trial.ts';

const E2E = join(import.meta.dirname, '../../../test/e2e');
const VALIDATORS = join(import.meta.dirname, '../../../test/exports/validators');

interface StixObject {
  readonly type: string;
  readonly pattern?: string;
  readonly revoked?: boolean;
  readonly external_references?: readonly { readonly external_id?: string }[];
}

/** Each report has an indicator of its C2 and one of its file. */
function assertIndicators(objects: readonly StixObject[], reports: readonly Report[]): void {
  const found = objects
    .filter(({ type, revoked = false }) => type === 'indicator' && !revoked)
    .map((indicator) => indicator.external_references?.[0]?.external_id);
  assert.ok(reports.length > 30);
  assert.deepEqual(found.toSorted(), reports.flatMap(({ id }) => [id, id]).toSorted());
}

/** `value` is that of the host, as an indicator of STIX writes it. */
const PATTERN_TYPES = { name: 'domain-name', ipv4: 'ipv4-addr', ipv6: 'ipv6-addr' } as const;

const patternOf = ({ kind, host }: C2) => `[${PATTERN_TYPES[kind]}:value = '${host}']`;

async function hashesOf(trial: Trial): Promise<readonly string[]> {
  return (await trial.reports(FEED)).map(({ file256Hash }) => file256Hash);
}

const distinct = (values: Iterable<string>) => [...new Set(values)].sort();

const STIX: readonly Client[] = [
  {
    name: 'taxii2-client',
    source: pythonPackage('taxii2-client'),
    command:
      '`as_pages(collection.get_objects, per_request=50)`, `get_manifest`, `get_object`, `add_objects`, `delete_object`',
    compared: 'two indicators of every report; what was sent is read and deleted',
    async run(trial) {
      const reports = await trial.reports(FEED);
      const objects = await trial.python(
        join(E2E, 'taxii-client.py'),
        ...[trial.url, trial.token, FEED],
      );
      assertIndicators(objects as StixObject[], reports);
      // The script deletes what it has sent.
      assert.equal((await trial.reports(FEED)).length, reports.length);
    },
  },
  {
    name: 'cytaxii2',
    source: pythonPackage('cytaxii2'),
    command:
      'client.api_root = "…/taxii2/feeds/"; client.poll_request(collection, limit=50, next=…)',
    compared: 'two indicators of every report',
    async run(trial) {
      const objects = await trial.python('taxii-poll.py', FEED);
      assertIndicators(objects as StixObject[], await trial.reports(FEED));
    },
  },
  {
    name: 'stix2',
    source: pythonPackage('stix2'),
    command: '`stix2.parse(bundle, allow_custom=False)`, of `…/export/stix`',
    compared: 'the pattern of every C2 and file',
    async run(trial) {
      const file = await trial.download('stix');
      const patterns = (await trial.python('stix-patterns.py', file)) as string[];
      const files = (await hashesOf(trial)).map((hash) => `[file:hashes.'SHA-256' = '${hash}']`);
      const c2s = (await trial.c2s()).map(patternOf);
      assert.deepEqual(distinct(patterns), distinct([...files, ...c2s]));
    },
  },
  {
    name: 'stix2-validator',
    source: pythonPackage('stix2-validator'),
    command: '`stix2_validator bundle.json`, of `…/export/stix`',
    compared: 'that it finds no error',
    isLong: true,
    async run(trial) {
      const file = await trial.download('stix');
      const printed = await trial.execute(pythonProgram('stix2_validator'), [file]);
      assert.match(printed, /^\[\+\] STIX JSON: Valid$/m);
      assert.doesNotMatch(printed, /^\s*\[X\]/m);
    },
  },
];

const MISP: readonly Client[] = [
  {
    name: 'PyMISP',
    source: pythonPackage('pymisp'),
    command: '`MISPEvent().load(…)` of every event of `…/misp/clients/manifest.json`',
    compared: 'every address; hashes.csv with what PyMISP computes',
    async run(trial) {
      const addresses = (await trial.c2s()).map(({ host, port }) => `${host}|${port}`);
      const walked = (await trial.python(
        join(VALIDATORS, 'misp-feed.py'),
        ...[`${trial.url}/misp/${FEED}`, trial.token, addresses[0] ?? ''],
      )) as { readonly addresses: readonly string[]; readonly hashesAgree: boolean };
      assert.deepEqual(walked.addresses, addresses.toSorted());
      assert.ok(walked.hashesAgree);
    },
  },
  {
    name: 'misp-stix',
    source: pythonPackage('misp-stix'),
    command: '`misp_stix_converter import -f bundle.json`, of `…/export/stix`',
    compared: 'every host and file of the MISP event that it makes',
    async run(trial) {
      const file = await trial.download('stix');
      const folder = trial.emptyFolder('misp-stix');
      const converter = pythonProgram('misp_stix_converter');
      await trial.execute(converter, ['import', '-f', file, '-o', join(folder, 'event.json')]);
      const values = (await trial.python('misp-values.py', folder)) as string[];
      const hosts = (await trial.c2s()).map(({ host }) => host);
      const expected = distinct([...hosts, ...(await hashesOf(trial))]);
      assert.deepEqual(
        expected.filter((value) => !values.includes(value)),
        [],
      );
    },
  },
];

const THREATFOX: Client = {
  name: 'threatfox',
  source: pythonPackage('threatfox'),
  command:
    '`ThreatFoxClient(api_key=…, url="…/threatfox/api/v1/")`, `get_iocs` and ten other queries',
  compared: 'the C2 and file of every report; that each query has an answer',
  async run(trial) {
    const answers = (await trial.python('threatfox-queries.py')) as {
      readonly statuses: Readonly<Record<string, string>>;
      readonly iocs: readonly string[];
    };
    const statuses = Object.entries(answers.statuses);
    assert.equal(statuses.length, 11);
    for (const [query, status] of statuses) assert.equal(status, 'ok', query);
    const c2s = (await trial.c2s()).map(({ kind, host, port }) =>
      kind === 'name' ? host : `${host}:${port}`,
    );
    const expected = distinct([...c2s, ...(await hashesOf(trial))]);
    assert.deepEqual(
      expected.filter((value) => !answers.iocs.includes(value)),
      [],
    );
  },
};

const XARF: Client = {
  name: 'xarf',
  source: pythonPackage('xarf'),
  command: '`xarf.parse(report, strict=True).errors`, of each report of `…/export/xarf`',
  compared: 'host, port and file of every report; no error and no warning',
  async run(trial) {
    const file = await trial.download('xarf', DEMO_FEED);
    const parsed = (await trial.python('xarf-reports.py', file)) as string[];
    const reports = await trial.reports(DEMO_FEED);
    const expected = reports.map(
      ({ c2Address, file256Hash }) => `${c2Address.replaceAll(/[[\]]/g, '')} ${file256Hash}`,
    );
    assert.deepEqual(parsed.toSorted(), expected.toSorted());
  },
};

export const INTELLIGENCE: readonly Client[] = [...STIX, ...MISP, THREATFOX, XARF];

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { c2IndicationOf } from '../../../src/domain/reports/c2-indication.ts';
import { IndicatorHosts } from '../../../src/domain/reports/indicator-hosts.ts';
import { stix } from '../../../src/exports/stix/bundle.ts';
import { reportOf } from '../../../src/exports/stix/ids.ts';
import { withdrawnObjectsOf } from '../../../src/exports/stix/objects.ts';
import { CASES } from '../cases.ts';
import { type Output, outputsOf } from './outputs.ts';
import { run, temporaryFiles } from './tool.ts';

/** The interpreter with the packages, if it is not the usual one. */
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';
const SCRIPT = join(import.meta.dirname, 'stix.py');

/** Without the longest case: validators take seconds per thousand objects. */
const outputs = outputsOf(stix, CASES);
const file = temporaryFiles();

/** An object of a bundle, parsed. */
interface ParsedObject {
  readonly id: string;
  readonly [member: string]: unknown;
}

function whyNoPackages(): string | false {
  const { status } = run(PYTHON, '-c', 'import stix2, stix2validator');
  return status === 0 ? false : 'the Python packages stix2 and stix2-validator are not installed';
}

function objectsIn({ text }: Pick<Output, 'text'>): readonly ParsedObject[] {
  return JSON.parse(text).objects;
}

/** The indicators of the reports, as if all had been deleted. */
function revoked({ reports, context }: Output): string {
  const { namespace, services, baseUrl } = context;
  const hosts = new IndicatorHosts(context);
  const shared = { namespace, services, baseUrl, hosts };
  const stixContext = { ...shared, profile: 'indicators', tlp: '2' } as const;
  const objects = reports.flatMap((report) =>
    withdrawnObjectsOf({ ...report, deletedAt: report.reportedAt }, stixContext).map(({ text }) =>
      JSON.parse(text),
    ),
  );
  const id = 'bundle--6f9619ff-8b86-4011-b42d-00cf4fc964ff';
  return JSON.stringify({ type: 'bundle', id, objects });
}

describe('the validators of STIX', { skip: whyNoPackages() }, () => {
  it('find nothing in any bundle, and compute the same ids', () => {
    const files = outputs
      .filter(({ name, options }) => name === 'families' || Object.keys(options).length === 0)
      .map((output) => file(`${output.label}.json`, output.text));
    assert.ok(files.length > 10);
    assert.deepEqual(run(PYTHON, SCRIPT, ...files), { status: 0, output: '' });
  });

  it('find nothing in the indicators of deleted reports', () => {
    const files = outputs
      .filter(({ options, reports }) => Object.keys(options).length === 0 && reports.length > 0)
      .map((output) => file(`${output.label}-deleted.json`, revoked(output)));
    assert.ok(files.length > 8);
    assert.deepEqual(run(PYTHON, SCRIPT, ...files), { status: 0, output: '' });
  });

  it('find what is wrong', () => {
    const [marking] = objectsIn(outputs[0] ?? { text: '' });
    const wrong = { ...marking, object_marking_refs: [] };
    const id = 'bundle--6f9619ff-8b86-4011-b42d-00cf4fc964ff';
    const name = file('wrong.json', JSON.stringify({ type: 'bundle', id, objects: [wrong] }));
    assert.notEqual(run(PYTHON, SCRIPT, name).output, '');
  });
});

function referencesOf(object: ParsedObject): readonly string[] {
  const members = Object.entries(object).filter(([member]) => /_refs?$/.test(member));
  return members.flatMap(([, value]) => [value].flat().map(String));
}

describe('a bundle', () => {
  for (const output of outputs) {
    it(`of ${output.label} has each object once, after those that it refers to`, () => {
      const known = new Set<string>();
      for (const object of objectsIn(output)) {
        assert.equal(known.has(object.id), false, object.id);
        known.add(object.id);
        assert.deepEqual(
          referencesOf(object).filter((id) => !known.has(id)),
          [],
        );
      }
    });

    it(`of ${output.label} has neither null nor empty lists, and no line ends in texts`, () => {
      JSON.parse(output.text, (_, value: unknown) => {
        assert.ok(value !== null && value !== '' && !(Array.isArray(value) && value.length === 0));
        if (typeof value === 'string') assert.doesNotMatch(value, /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
        return value;
      });
    });
  }

  it('has the indicators of each report, at most two, whose ids lead back to it', () => {
    for (const output of outputs.filter(({ name }) => name !== 'injection')) {
      const indicators = objectsIn(output).filter(({ type }) => type === 'indicator');
      const { namespace } = output.context;
      const found = indicators.map(({ id }) => reportOf(id, namespace)?.reportId.slice(-12));
      const hosts = new IndicatorHosts(output.context);
      const expected = output.reports.flatMap((report) => {
        const id = report.id.slice(-12);
        const ofC2 = c2IndicationOf(report, hosts) === 'absent' ? [] : [id];
        return hosts.protectsFile(report.sha256) ? ofC2 : [...ofC2, id];
      });
      assert.deepEqual(found.sort(), expected.sort());
    }
  });
});

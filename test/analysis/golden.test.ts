import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Engine, openEngine } from '../../src/analysis/engine.ts';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import { formatC2Address } from '../../src/domain/reports/c2-address.ts';
import type { Analysis } from '../../src/domain/samples/analysis.ts';
import { fixture } from './fixture.ts';

/**
 * Runs every fixture through the engine and compares the result with a reviewed file. After adding
 * a fixture, run `UPDATE_GOLDEN=1 npm test -- golden` and review the diff.
 */
const ROOT = fileURLToPath(new URL('../fixtures/', import.meta.url));
const ENDING = '.in.gz.b64';
const NOW = new Date('2026-08-26T10:00:00Z');
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

/** The part of an analysis that is the same on every machine and short enough to review. */
function summary({ report, details }: Analysis) {
  return {
    sha256: report.sha256,
    ssdeep: report.ssdeep,
    tags: report.tags.map(({ heat, name }) => `${heat} ${name}`),
    configs: report.configs,
    ...(details.c2s.length > 0 && { c2s: details.c2s.map(formatC2Address) }),
    evidence: details.evidence.map(({ tag, source, offset, note, member }) =>
      [tag, source, offset ?? '-', note ?? '-', member ?? '-'].join(' | '),
    ),
    indicators: details.indicators.map(({ kind, value }) => `${kind} ${value}`),
    members: details.members.map(({ path, sizeBytes, type }) => `${path} | ${sizeBytes} | ${type}`),
  };
}

describe('the whole analysis of', () => {
  let engine: Engine;
  before(async () => {
    engine = await openEngine(loadRuleSources().sources);
  });

  for (const file of globSync(`**/*${ENDING}`, { cwd: ROOT }).sort()) {
    const name = file.slice(0, -ENDING.length);
    it(name, async () => {
      const golden = `${ROOT}${name}.report.json`;
      const sample = { bytes: fixture(name), fileName: name.replace(/^.*\//, '') };
      const found = summary(await engine.analyse(sample, NOW));
      assert.ok(
        !found.tags.some((tag) => tag.includes('PARSER_FAILED')),
        found.evidence.join('\n'),
      );
      if (isUpdate) writeFileSync(golden, `${JSON.stringify(found, null, 2)}\n`);
      assert.deepEqual(found, JSON.parse(readFileSync(golden, 'utf8')));
    });
  }
});

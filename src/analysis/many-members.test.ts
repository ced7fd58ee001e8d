import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../../test/analysis/fixture.ts';
import { manyMembers } from '../../test/analysis/many-members.ts';
import { type BuiltEntry, buildZip } from '../../test/analysis/zip-builder.ts';
import { Engine, type EngineParts } from './engine.ts';
import { extractors } from './extractors/index.ts';
import { openFileTypes } from './file-type.ts';
import { formats } from './formats/index.ts';
import { LIMITS } from './limits.ts';
import { RenewedRules } from './rules/renewed-rules.ts';
import { loadRuleSources } from './rules/rule-files.ts';
import { openRules, type Rules } from './rules/rules.ts';

const PARTS: EngineParts = { formats, extractors };
const MATCHED: readonly BuiltEntry[] = [
  {
    name: 'run.ps1',
    content: Buffer.from('$c = New-Object Net.WebClient; IEX($c.DownloadString('),
  },
  { name: 'inject.exe', content: fixture('analysis/pe/injector') },
  { name: 'mail.php', content: Buffer.from('<?php eval($_POST["a"]); ?>') },
];
const MEMBERS = [...manyMembers(40), ...MATCHED, ...manyMembers(60).slice(40)];
const file = { bytes: buildZip(MEMBERS), fileName: 'archive.zip' };

describe('an archive with many members', () => {
  let rules: Rules;
  before(async () => {
    rules = await openRules(loadRuleSources().sources);
  });

  interface Counts {
    scans: number;
    detections: number;
  }

  /** The analysis without its duration. */
  async function analyse(parts: EngineParts, counts: Counts = { scans: 0, detections: 0 }) {
    const counted = {
      problems: [],
      scan(bytes: Uint8Array) {
        counts.scans += 1;
        return rules.scan(bytes);
      },
    };
    const types = await openFileTypes();
    const countedTypes = {
      describe: (bytes: Uint8Array) => types.describe(bytes),
      mime(bytes: Uint8Array) {
        counts.detections += 1;
        return types.mime(bytes);
      },
    };
    const renewed = new RenewedRules(counted, () => Promise.resolve(counted));
    const engine = new Engine(parts, renewed, countedTypes);
    const { report, details } = await engine.analyse(file, new Date(0));
    return { details, report: { ...report, duration: '' } };
  }

  it('is scanned once for each member and once for all classes; members of known formats have no MIME type', async () => {
    const counts: Counts = { scans: 0, detections: 0 };
    const { details } = await analyse(PARTS, counts);
    assert.equal(details.members.length, MEMBERS.length);
    const classes = MEMBERS.filter(({ name }) => name.endsWith('.class'));
    assert.ok(classes.length > 1);
    assert.ok(counts.scans <= 2 + MEMBERS.length - classes.length, `${counts.scans} scans`);
    assert.ok(counts.detections <= MEMBERS.length / 2, `${counts.detections} MIME types`);
    for (const { name } of MATCHED)
      assert.ok(
        details.evidence.some(({ member, source }) => {
          return member === name && source.startsWith('rule:');
        }),
        name,
      );
  });

  it('has the same analysis on a busy machine, which gives it a processor now and then', async () => {
    let elapsedMs = 0;
    let readings = 0;
    // Each look at the clock finds that a second has passed, of which it had a millisecond.
    const clocks = {
      elapsedMs: () => (elapsedMs = Math.min(elapsedMs + 1000, LIMITS.softElapsedMs)),
      processorMs: () => (readings += 1),
    };
    const onBusy = await analyse({ ...PARTS, clocks });
    assert.ok(elapsedMs > 100_000 && readings > 50);
    assert.deepEqual(onBusy, await analyse(PARTS));
  });

  it('has part of an analysis, and says so, if it takes too much processor time', async () => {
    let used = 0;
    const clocks = { elapsedMs: () => (used += 50), processorMs: () => used };
    const { report, details } = await analyse({ ...PARTS, clocks });
    assert.ok(details.members.length < MEMBERS.length);
    assert.ok(report.tags.some(({ name }) => name === 'LIMIT_EXCEEDED'));
  });
});

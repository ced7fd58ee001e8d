import { randomFillSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/analysis/engine.ts';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import { openRules } from '../../src/analysis/rules/rules.ts';
import { fixture } from '../../test/analysis/fixture.ts';
import { manyMembers } from '../../test/analysis/many-members.ts';
import { buildZip } from '../../test/analysis/zip-builder.ts';
import { median, type Verdicts } from '../verdicts.ts';

const MEMBERS = 1000;
const ROUNDS = 5;

/** CPU time, not wall-clock time: other processes may run on the machine. */
async function secondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/**
 * The cost of an archive of small files. The anchor is what the rule engine takes for a scan of
 * next to nothing, once for each member.
 */
export async function members(verdicts: Verdicts): Promise<void> {
  const { sources } = loadRuleSources();
  const file = { bytes: buildZip(manyMembers(MEMBERS)), fileName: 'members.zip' };
  const engine = await openEngine(sources);
  const rules = await openRules(sources);
  const analyse = () => engine.analyse(file, new Date());
  const scan = () => {
    for (let index = 0; index < MEMBERS; index += 1) rules.scan(Buffer.of(index));
  };
  const first = await secondsOf(analyse);
  const { details } = await analyse();
  if (details.members.length !== MEMBERS) throw new Error('members are missing');
  await secondsOf(scan);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await secondsOf(analyse);
    const anchor = await secondsOf(scan);
    console.log(`        ${MEMBERS} members ${ours.toFixed(2)} s, scans ${anchor.toFixed(2)} s`);
    ratios.push(ours / anchor);
  }
  rules.close();
  verdicts.add(`first archive of ${MEMBERS} small members, s of CPU time`, first, 6, 'less');
  verdicts.add(
    `archive of ${MEMBERS} small members to as many scans of a byte`,
    median(ratios),
    2.5,
    'less',
  );
}

/** Alternates programs and random bytes: a large file is neither all zeros nor all random. */
export function makeLargeFile(work: string): string {
  const file = join(work, 'large.bin');
  const program = fixture('analysis/pe/hello64');
  const noise = randomFillSync(Buffer.alloc(1 << 20));
  const parts: Buffer[] = [];
  for (let size = 0; size < 100e6; ) {
    const next = parts.length % 8 === 0 ? noise : Buffer.alloc(program.length, program);
    // Each piece differs, so that the fuzzy hash does not see repetitions only.
    next.writeUInt32LE(parts.length, 64);
    parts.push(Buffer.from(next));
    size += next.length;
  }
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

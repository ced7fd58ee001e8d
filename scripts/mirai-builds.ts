import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mirai } from '../src/analysis/extractors/mirai/mirai.ts';
import { extracted } from '../test/analysis/extraction.ts';
import { compiled, isInstalled, LEVELS, TARGETS } from '../test/analysis/mirai/compilers.ts';
import { judge, randomSettings, textsOf, type Verdict } from '../test/analysis/mirai/settings.ts';

/**
 * Compiles benign programs that have the table of Mirai with every compiler that is installed, over
 * random keys, names and ports, and compares what the extractor reads. One wrong address
 * fails. A compiler that is not installed is skipped, and named. `--keep` names a folder for the
 * programs.
 */
const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});

const VERDICTS: readonly Verdict[] = ['whole', 'host', 'ambiguous', 'missed', 'wrong'];
const count = Number(values.builds);
const totals = new Map<Verdict, number>();
console.log(['target'.padEnd(24), 'builds', ...VERDICTS].join('\t'));
for (const [number, target] of TARGETS.entries()) {
  if (!target.name.includes(values.only)) continue;
  if (!isInstalled(target)) {
    console.log(`${target.name}: skipped, ${target.command[0]} is not installed`);
    continue;
  }
  const tally = new Map<Verdict, number>();
  for (const [index, chosen] of randomSettings(count, Number(values.seed) + number).entries()) {
    const level = LEVELS[index % LEVELS.length] ?? [];
    const program = compiled(target, level, textsOf(chosen));
    const found = extracted(mirai, program);
    const verdict = judge(chosen, found);
    tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
    totals.set(verdict, (totals.get(verdict) ?? 0) + 1);
    if (verdict === 'wrong') console.log(target.name, ...level, JSON.stringify({ chosen, found }));
    if (values.keep !== undefined) {
      mkdirSync(values.keep, { recursive: true });
      const name = `${target.name.replaceAll(' ', '-')}-${index}${level.slice(0, 2).join('')}`;
      writeFileSync(join(values.keep, `${name}.elf`), program);
      writeFileSync(join(values.keep, `${name}.json`), JSON.stringify({ chosen, verdict, found }));
    }
  }
  console.log(
    [target.name.padEnd(24), count, ...VERDICTS.map((one) => tally.get(one) ?? 0)].join('\t'),
  );
}
console.log(['all'.padEnd(31), ...VERDICTS.map((one) => totals.get(one) ?? 0)].join('\t'));
if ((totals.get('wrong') ?? 0) > 0) process.exitCode = 1;

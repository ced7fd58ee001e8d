import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { openEngine } from '../../src/analysis/engine.ts';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import type { FileFindings } from './pool.ts';

/** Analyses the files that the parent process names, one at a time. */
const HOT = 7;
const FAMILY_HEAT = 9;
const LOWEST_PRIORITY = 19;

setPriority(LOWEST_PRIORITY);
const engine = await openEngine(loadRuleSources().sources);

async function findingsOf(path: string): Promise<FileFindings> {
  const file = { bytes: readFileSync(path), fileName: basename(path) };
  const { report, details } = await engine.analyse(file, new Date());
  const hot = details.evidence.filter(({ heat }) => heat >= HOT);
  return {
    families: report.tags.filter(({ heat }) => heat >= FAMILY_HEAT).map(({ name }) => name),
    configs: Object.keys(report.configs),
    isCut: report.tags.some(({ name }) => name === 'LIMIT_EXCEEDED'),
    hot: hot
      .filter(({ heat }) => heat < FAMILY_HEAT)
      .map(({ tag, source, member }) => ({ tag, source, member })),
  };
}

process.on('message', (path: string) => {
  findingsOf(path).then(
    (findings) => process.send?.(findings),
    (error: unknown) => {
      console.error(`${path}: ${error}`);
      process.exit(1);
    },
  );
});
process.send?.('ready');

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { DAY_MS } from '../../domain/duration.ts';
import { readAnalysisLines } from '../../http/requests/analysis-lines.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { importSamples } from '../../operations/samples/import-samples.ts';
import { auditContextOf } from '../store-command.ts';
import type { PlannedSample } from './campaigns.ts';
import type { DemoHistory, Step } from './history.ts';
import { SeededRandom } from './random.ts';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Imports the analyses of the campaigns, those of a day together. */
export function importSteps(samples: readonly PlannedSample[], history: DemoHistory): Step[] {
  const days = Map.groupBy(samples, ({ at }) => Math.floor(at / DAY_MS));
  return [...days.values()].map((some) => ({
    at: Math.max(...some.map(({ at }) => at)),
    run: (deps) => importLines(deps, history, some.map(analysisLine)),
  }));
}

/** Imports analysis reports; one that is refused is a mistake in the demo. */
export async function importLines(
  deps: Dependencies,
  history: DemoHistory,
  lines: readonly string[],
): Promise<void> {
  const parsed = readAnalysisLines(Readable.from(lines.map((line) => Buffer.from(`${line}\n`))));
  const tally = await importSamples(deps, auditContextOf(deps), parsed, {
    refused: ({ line, error }) => {
      throw new Error(`line ${line} of the analyses is refused: ${error}`);
    },
  });
  history.counts.samples += tally.added;
}

/** The analysis of an invented file, in the form of the API. */
function analysisLine({ at, family, seed, sha256, c2s }: PlannedSample): string {
  const random = new SeededRandom(Number.parseInt(sha256.slice(0, 8), 16));
  const digest = (kind: string) => createHash(kind).update(seed).digest('hex');
  const { name, kind, format, version } = family;
  const hosts = [...new Set(c2s.map((c2) => c2.slice(0, c2.lastIndexOf(':'))))];
  const ports = [...new Set(c2s.map((c2) => c2.slice(c2.lastIndexOf(':') + 1)))];
  return JSON.stringify({
    date: `${new Date(at).toISOString().slice(0, 19)}Z`,
    tags: [
      { heat: 10, name },
      ...(random.chance(0.5) ? [{ heat: 6, name: 'SETTING_KEYLOGGER' }] : []),
      ...(random.chance(0.6) ? [{ heat: 5, name: 'SETTING_INSTALL' }] : []),
      ...format.map((each) => ({ heat: 1, name: each })),
      { heat: 1, name: kind },
    ],
    ssDeep: fuzzyHash(random, name),
    configs: {
      [name]: {
        C2s: hosts.join(', '),
        Ports: ports.join(', '),
        ...(version === '' ? {} : { Version: version }),
        Campaign: random.pick(['Default', 'autumn', 'gate-2', 'NewClient', 'op-17']),
        Mutex: random.text(BASE64.slice(0, 62), 14),
      },
    },
    mD5Hash: digest('md5'),
    fileName: random.pick(family.fileNames),
    sha1Hash: digest('sha1'),
    blake3Hash: digest('sha512-256'),
    sha256Hash: sha256,
    sha512Hash: digest('sha512'),
    sizeInBytes: random.integer(18_000, 900_000),
    staticAnalysisDuration: `00:00:00.${random.integer(300_000, 2_400_000)}`.padEnd(16, '0'),
  });
}

/** Files of a family share most of their fuzzy hash, so each has similar files. */
function fuzzyHash(random: SeededRandom, family: string): string {
  const seed = createHash('sha256').update(family).digest().readInt32BE();
  const common = new SeededRandom(seed);
  const parts = [common.text(BASE64, 60), common.text(BASE64, 30)].map((part) => {
    const start = random.integer(0, part.length - 12);
    const changed = random.text(BASE64, random.integer(3, 12));
    return part.slice(0, start) + changed + part.slice(start + changed.length);
  });
  return `768:${parts.join(':')}`;
}

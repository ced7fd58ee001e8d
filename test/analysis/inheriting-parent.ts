import { fileURLToPath } from 'node:url';
import { isolationChains, type WorkerCommand } from '../../src/analysis/worker/isolation/chains.ts';
import { WorkerProcess } from '../../src/analysis/worker/worker-process.ts';

/**
 * A server whose parent left descriptors open. Prints the descriptors of its workers for the chains
 * whose indexes are its arguments. The permission model is off, because it would hide them from a
 * worker.
 */
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TEXT = 'MISCHIEF:descriptors';
const PATIENT = { elapsedMs: 180_000 };

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function descriptorsOf(chain: WorkerCommand): Promise<unknown> {
  const worker = new WorkerProcess(chain);
  try {
    await worker.request({ kind: 'open', rules: [] }, pieces(), PATIENT);
    const at = new Date(0).toISOString();
    const order = { kind: 'analyse', fileName: 'a', sizeBytes: TEXT.length, at } as const;
    const answer = await worker.request(order, pieces(TEXT), PATIENT);
    return answer.kind === 'done' ? answer.analysis.report.configs['MISCHIEF'] : answer;
  } finally {
    worker.kill();
    await worker.exited;
  }
}

const all = isolationChains({
  program: `${FOLDER}hostile-worker.ts`,
  readable: [FOLDER],
  path: process.env['PATH'] ?? '',
  isRoot: process.getuid?.() === 0,
});
const found: unknown[] = [];
for (const number of process.argv.slice(2).map(Number)) {
  const { command = [], filter } = all.at(number) ?? {};
  const permitted = command.filter((word) => !/^--(permission|allow-fs-read)/.test(word));
  found.push(await descriptorsOf({ command: permitted, filter }));
}
process.stdout.write(JSON.stringify(found));

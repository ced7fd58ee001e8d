import { LIMITS } from '../limits.ts';
import type { RuleSource } from '../rules/rule-source.ts';
import type { RulesImage } from '../rules/yara/rules-image.ts';
import { openImage } from './rules-cache.ts';
import type { TimeLimits } from './time-watch.ts';
import { WorkerError, type WorkerProcess } from './worker-process.ts';

/** For loading the engine and compiling the rules. */
const OPEN_LIMITS: TimeLimits = {
  elapsedMs: LIMITS.hardElapsedMs,
  processorMs: 60_000,
  idleMs: 60_000,
};
const PIECE_BYTES = 256 * 1024;

const NO_BYTES: AsyncIterable<Uint8Array> = (async function* () {})();

export interface OpenOptions {
  readonly rules: readonly RuleSource[];
  /** Another program, which compiles its rules itself. */
  readonly program?: string;
  /** Aborting it cancels the opening. */
  readonly signal?: AbortSignal | undefined;
}

/** A worker that is being opened; resolves with the problems of its rules. */
export interface OpeningWorker {
  readonly worker: WorkerProcess;
  readonly opened: Promise<readonly string[]>;
}

/** The image of the rules is read once, while the processes start. */
export function openWorkers(
  processes: readonly WorkerProcess[],
  options: OpenOptions,
): readonly OpeningWorker[] {
  const image = imageOf(options);
  return processes.map((worker) => openWorker(worker, options, image));
}

export function openWorker(
  worker: WorkerProcess,
  options: OpenOptions,
  image = imageOf(options),
): OpeningWorker {
  const opened = open(worker, options, image);
  // A rejection before anybody awaits it would count as unhandled.
  opened.catch(() => undefined);
  return { worker, opened };
}

async function imageOf({ program, rules, signal }: OpenOptions): Promise<RulesImage | undefined> {
  return program === undefined ? await openImage(rules, { signal }) : undefined;
}

async function open(
  worker: WorkerProcess,
  { rules }: OpenOptions,
  opening: Promise<RulesImage | undefined>,
): Promise<readonly string[]> {
  const image = await opening;
  const response = await worker.request(
    { kind: 'open', rules, image: image?.header, sizeBytes: image?.memory.length },
    image === undefined ? NO_BYTES : inPieces(image.memory),
    OPEN_LIMITS,
  );
  if (response.kind !== 'ready')
    throw new WorkerError('bad-report', 'the worker did not report that it is ready');
  return response.ruleProblems;
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

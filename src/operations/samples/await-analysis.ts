import type { FileHash } from '../../domain/samples/file-hash.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Another process may run the analysis. Its events do not reach this one. */
const POLL_MS = 500;

export interface WaitOptions {
  readonly timeoutMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

function isSettled({ state }: SampleStatus): boolean {
  return state === 'done' || state === 'failed';
}

/** Returns the state of a sample when its analysis is done or has failed, or at the timeout. */
export async function awaitAnalysis(
  { store, analysisEvents }: Pick<Dependencies, 'store' | 'analysisEvents'>,
  hash: FileHash,
  { timeoutMs, signal }: WaitOptions,
): Promise<SampleStatus> {
  const watch = analysisEvents.watch(hash.hex);
  const end = () => watch?.end();
  signal.addEventListener('abort', end);
  // A monotonic clock: the clock of the service may be set.
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      // The query follows the start of the watch, so that no event is missed in between.
      const status = await store.samples.status(hash);
      const remainingMs = deadline - performance.now();
      if (isSettled(status) || remainingMs <= 0) return status;
      if (watch === undefined || watch.isEnded || signal.aborted) return status;
      await watch.wait(Math.min(remainingMs, POLL_MS));
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

import type { FileHash } from '../../domain/samples/file-hash.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Another process may do the work, and tells nobody here. */
const ASK_AGAIN_MS = 500;

export interface Patience {
  readonly ms: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

function isSettled({ state }: SampleStatus): boolean {
  return state === 'done' || state === 'failed';
}

/** The state of a sample once it is done or has failed, or as it is when the patience ends. */
export async function awaitAnalysis(
  { store, news }: Pick<Dependencies, 'store' | 'news'>,
  hash: FileHash,
  { ms, signal }: Patience,
): Promise<SampleStatus> {
  const watch = news.watch(hash.hex);
  const end = () => watch?.end();
  signal.addEventListener('abort', end);
  // Not the clock of the service: that one may be set.
  const until = performance.now() + ms;
  try {
    for (;;) {
      // Asked after the watch has begun, so that nothing is missed in between.
      const status = await store.samples.status(hash);
      const left = until - performance.now();
      if (isSettled(status) || left <= 0) return status;
      if (watch === undefined || watch.isEnded || signal.aborted) return status;
      await watch.wait(Math.min(left, ASK_AGAIN_MS));
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

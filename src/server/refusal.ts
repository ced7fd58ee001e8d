import type { Log } from '../observability/log.ts';
import type { Store } from '../ports/store.ts';

/** The exit code of a process that its store no longer admits, for the supervisor. */
export const REFUSED_EXIT = 7;
/** The node answers 503 for as long, so that load balancers and callers learn why. */
const ANSWERING_MS = 5000;

/** Resolves with the reason when a node whose store no longer admits it is to end. */
export function untilRefused(
  store: Pick<Store, 'onRefused'>,
  log: Pick<Log, 'fatal'>,
): Promise<string> {
  return new Promise((resolve) => {
    store.onRefused((reason) => {
      log.fatal({ reason }, 'the store no longer admits this node, which stops serving');
      setTimeout(() => resolve(reason), ANSWERING_MS);
    });
  });
}

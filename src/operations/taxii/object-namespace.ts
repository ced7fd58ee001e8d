import type { Dependencies } from '../dependencies.ts';

/** The UUID from which the ids of this installation's objects are derived. */
export function objectNamespace({ store }: Pick<Dependencies, 'store'>): Promise<string> {
  return store.feeds.objectNamespace();
}

import { formatPositions, parsePositions } from '../domain/cursor.ts';
import { Problem } from '../domain/problem.ts';
import type { ChangesOutcome, ChangesPage, Positions } from '../ports/feed-store.ts';
import type { Dependencies } from './dependencies.ts';

interface Page extends Pick<ChangesPage, 'changes' | 'hasMore'> {}

export interface ChangesOfFeed extends Page {
  readonly next: number;
  readonly head: number;
}

export interface ChangesOfAll extends Page {
  readonly next: string;
  readonly head: string;
}

/** What follows a number of a feed. `head`: its last one, after which there is nothing yet. */
export async function readChanges(
  { store: { feeds } }: Dependencies,
  service: string,
  since: number | 'head',
  limit: number,
): Promise<ChangesOfFeed> {
  if (since === 'head') {
    const head = (await feeds.heads(service)).get(service) ?? 0;
    return { changes: [], next: head, head, hasMore: false };
  }
  const page = readable(
    await feeds.changes({ scope: service, since: new Map([[service, since]]), limit }),
  );
  const { changes, hasMore, next, heads } = page;
  return { changes, hasMore, next: next.get(service) ?? since, head: heads.get(service) ?? since };
}

/** The same over all feeds, where a place is one in each of them. `undefined`: before everything. */
export async function readAllChanges(
  { store: { feeds } }: Dependencies,
  since: string | undefined,
  limit: number,
): Promise<ChangesOfAll> {
  const secret = await feeds.secret();
  if (since === 'head') {
    const head = formatPositions(secret, await feeds.heads(undefined));
    return { changes: [], next: head, head, hasMore: false };
  }
  const positions: Positions | undefined =
    since === undefined ? new Map() : parsePositions(secret, since);
  if (positions === undefined) throw new Problem('invalid_cursor');
  const page = readable(await feeds.changes({ scope: undefined, since: positions, limit }));
  return {
    changes: page.changes,
    hasMore: page.hasMore,
    next: formatPositions(secret, page.next),
    head: formatPositions(secret, page.heads),
  };
}

function readable(outcome: ChangesOutcome): ChangesPage {
  if (outcome === 'too-old') throw new Problem('changes_dropped');
  if (outcome === 'ahead') throw new Problem('since_ahead');
  if (outcome === 'unknown-service') throw new Problem('unknown_service');
  return outcome;
}

import type { SessionStore } from '../../ports/session-store.ts';
import {
  deleteExpiredSessions,
  endSession,
  endSessions,
  type Started,
  startSession,
  startWithLink,
} from '../tables/accounts/sessions.ts';
import { addLink, deleteExpiredLinks } from '../tables/accounts/sign-in-links.ts';
import type { Runner } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { AccessCache } from './access-cache.ts';

type Administer = <Result>(work: () => UnitOfWork<Result>) => Promise<Result>;

/** A new session invalidates no cache, because negative results are not cached. */
export function createSessionStore(
  runner: Runner,
  access: Pick<AccessCache, 'clear'>,
  administer: Administer,
): SessionStore {
  const start = async <Outcome>(work: () => UnitOfWork<Started<Outcome>>) => {
    const { outcome, hasEndedOthers } = await runner.write(work);
    if (hasEndedOthers) access.clear();
    return outcome;
  };
  return {
    start: (session, by, at) => start(() => startSession(session, by, at)),
    startWithLink: (session, link, at) => start(() => startWithLink(session, link, at)),
    end: async (digest) => {
      if (await runner.write(() => endSession(digest))) access.clear();
    },
    endAll: (accountId, audit, options = {}) =>
      administer(() => endSessions(accountId, options, audit)),
    addLink: (accountId, link, audit, by) =>
      runner.write(() => addLink(accountId, link, audit, by)),
    deleteExpired: (before, limit) =>
      runner.write(function* () {
        const sessions = yield* deleteExpiredSessions(before, limit);
        return Math.max(sessions, yield* deleteExpiredLinks(before, limit));
      }),
  };
}

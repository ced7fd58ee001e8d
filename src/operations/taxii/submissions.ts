import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { formatUuid, parseUuid } from '../../domain/uuid.ts';
import type { Dependencies } from '../dependencies.ts';

/** Housekeeping deletes old statuses once an hour. */
const RETRY_AFTER_SECONDS = 3600;

/**
 * Refuses a submission before anything of it is stored. The submissions in progress, of which an
 * account has few, may exceed the limit by their own statuses.
 */
export async function checkSubmissions(
  { store, accountLimits }: Pick<Dependencies, 'store' | 'accountLimits'>,
  { accountId }: Caller,
): Promise<void> {
  const stored = await store.submissions.bytesOf(accountId);
  const { statusBytes: limit } = accountLimits;
  if (stored < limit) return;
  const parameters = { stored, limit };
  throw new Problem('status_bytes_exceeded', {
    parameters,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Stores what became of a submission. `present` makes its text from its id. */
export async function storeSubmission(
  { store, now, randomBytes }: Pick<Dependencies, 'store' | 'now' | 'randomBytes'>,
  caller: Caller,
  present: (id: string) => string,
): Promise<string> {
  const id = formatUuid(randomBytes(16), 4);
  const body = present(id);
  await store.submissions.add({ id, accountId: caller.accountId, createdAt: now(), body });
  return body;
}

/** The stored text. Other accounts do not see it. */
export async function findSubmission(
  { store }: Pick<Dependencies, 'store'>,
  caller: Caller,
  idText: string,
): Promise<string> {
  const id = parseUuid(idText);
  const body = id === undefined ? undefined : await store.submissions.find(id, caller.accountId);
  if (body === undefined) throw new Problem('unknown_submission');
  return body;
}

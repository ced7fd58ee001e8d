import { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import type { Connection } from '../connection.ts';

/** The refusal is known already, so its reader should not wait for the name of the account. */
const TIMEOUT_MS = 2000;

/**
 * Adds to a refusal of the server who was refused: `(as alice at https://abuse.example, from
 * profile work)`. For a token that the server does not know, only where the token comes from.
 */
export async function nameAccount(
  cause: unknown,
  connection: Connection | undefined,
  timeoutMs: number = TIMEOUT_MS,
): Promise<unknown> {
  if (connection === undefined || !isRefusal(cause)) return cause;
  const account = isUnknownToken(cause) ? undefined : await accountOf(connection, timeoutMs);
  return namingSource(cause, { ...connection, account });
}

/** Adds to a refusal the server, the source of the token and, if it is known, the account. */
export function namingSource(
  cause: unknown,
  { url, source, account }: Pick<Connection, 'url' | 'source'> & Partial<Connection>,
): unknown {
  if (!isRefusal(cause)) return cause;
  const who = account === undefined ? '' : `as ${account} `;
  return new RapsheetError(`${cause.message} (${who}at ${url}, ${source})`, cause);
}

function isRefusal(cause: unknown): cause is RapsheetError {
  if (!(cause instanceof RapsheetError)) return false;
  const { status = 0, code } = cause;
  // A proxy, or another program, does not know the accounts.
  return status >= 400 && status < 500 && code !== 'bad_answer';
}

function isUnknownToken({ status, code }: RapsheetError): boolean {
  return status === 401 || code === 'too_many_bad_tokens';
}

async function accountOf(
  { url, token, account }: Connection,
  timeoutMs: number,
): Promise<string | undefined> {
  if (account !== undefined) return account;
  const client = new RapsheetClient({ url, token, retries: 0, timeoutMs });
  // The command failed for another reason, which is the one to report.
  return client.me().then(
    ({ name }) => name,
    () => undefined,
  );
}

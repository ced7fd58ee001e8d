import { databaseLabel } from './connection-url.ts';
import { codeOf, READ_ONLY } from './failures.ts';

/** Errors at start, for the operator: what is wrong with the database and how to fix it. */

const INSUFFICIENT_PRIVILEGE = '42501';
/** OpenSSL codes for a certificate that no trusted authority has signed. */
const UNVERIFIED = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_)/;

export function connectError(cause: unknown, url: string): Error {
  return new Error(`cannot connect to ${databaseLabel(url)}: ${connectReason(cause)}`, { cause });
}

function connectReason(cause: unknown): string {
  const reason = reasonOf(cause);
  if (/password must be a (non-empty )?string/.test(reason))
    return 'it asks for a password and none was given: put it into the URL, PGPASSWORD or ~/.pgpass';
  // An error of PgBouncer.
  if (/unsupported startup parameter/.test(reason))
    return `${reason}: set ignore_startup_parameters = options in the pooler`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return UNVERIFIED.test(code)
    ? `its certificate cannot be verified (${code}): name the file of the authority that signed it, with sslrootcert=<file> in the URL`
    : reason;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}

/** Adds the remedy if the user lacks a privilege or the server is read-only. */
export function setupError(cause: unknown, url: string): unknown {
  const code = codeOf(cause);
  if (code === INSUFFICIENT_PRIVILEGE) return missingPrivilege(reasonOf(cause), url, cause);
  if (code !== READ_ONLY) return cause;
  return new Error(
    `${databaseLabel(url)} can only be read (${reasonOf(cause)}): name the primary and not a replica, and a user who may write`,
    { cause },
  );
}

export function missingPrivilege(reason: string, url: string, cause?: unknown): Error {
  // A server with another language gets the second text, which is less specific.
  const hasOtherOwner = /for (table|sequence|relation)/.test(reason);
  return new Error(
    hasOtherOwner
      ? `the user of ${databaseLabel(url)} may not use the tables there (${reason}): name the user who made them, or make this one a member of that role`
      : `the user of ${databaseLabel(url)} may not make tables there (${reason}): make it the owner of the database, or grant it create on the database and on the schema public`,
    { cause },
  );
}

import { nameOf } from './address.ts';
import { codeOf, READ_ONLY } from './failures.ts';

/** Why a database is not for us, and what to do about it, for whoever has set its address. */

const INSUFFICIENT_PRIVILEGE = '42501';
/** Of OpenSSL: nobody whom we know has signed the certificate. */
const UNVERIFIED = /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_)/;

/** Why there is no connection. */
export function whyNotConnected(cause: unknown, url: string): Error {
  return new Error(`cannot connect to ${nameOf(url)}: ${whyOf(cause)}`, { cause });
}

function whyOf(cause: unknown): string {
  const reason = reasonOf(cause);
  if (/password must be a (non-empty )?string/.test(reason))
    return 'it asks for a password and none was given: put it into the URL, PGPASSWORD or ~/.pgpass';
  // Of PgBouncer.
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

/** Says what to do where the user lacks a right. */
export function explain(cause: unknown, url: string): unknown {
  const code = codeOf(cause);
  if (code === INSUFFICIENT_PRIVILEGE) return lackingRight(reasonOf(cause), url, cause);
  if (code !== READ_ONLY) return cause;
  return new Error(
    `${nameOf(url)} can only be read (${reasonOf(cause)}): name the primary and not a replica, and a user who may write`,
    { cause },
  );
}

export function lackingRight(reason: string, url: string, cause?: unknown): Error {
  // Where it speaks another language, the first sentence is still not wrong.
  const isOfAnother = /for (table|sequence|relation)/.test(reason);
  return new Error(
    isOfAnother
      ? `the user of ${nameOf(url)} may not use the tables there (${reason}): name the user who made them, or make this one a member of that`
      : `the user of ${nameOf(url)} may not make tables there (${reason}): make it the owner of the database, or grant it create on the database and on the schema public`,
    { cause },
  );
}

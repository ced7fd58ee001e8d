import {
  hasRecords,
  recordNameOf,
  suffixOf,
  WELL_KNOWN_PATH,
} from '../../../domain/ownership/challenge.ts';
import {
  type Claim,
  type ProofProblem,
  WITHDRAWN_AFTER_MS,
} from '../../../domain/ownership/claim.ts';
import type { DeclaredPattern } from '../../../operations/ownership/show-ownership.ts';
import { formatUtc } from '../present.ts';

const NETWORK = 'A network cannot be proven this way: it stays declared.';

type Describe = (record: string, url: string) => string;

/** What was wrong, and what is right. Nothing of the answer itself is shown. */
const PROBLEM_TEXTS: Readonly<Record<ProofProblem, Describe>> = {
  no_record: (record) => `${record} has no TXT record with the challenge.`,
  other_token: () =>
    'The token of another service or installation is published there. Publish the challenge of this service.',
  dns_failed: () => 'The name server answered with an error, so nothing is known. Try again later.',
  dns_timeout: () =>
    'The name server did not answer in time, so nothing is known. Try again later.',
  no_address: (_, url) => `${url} could not be read: the host has no address in the DNS.`,
  private_address: (_, url) =>
    `${url} may not be read: an address of the host is private or reserved.`,
  untrusted: (_, url) => `${url} could not be read: the certificate is not valid for the host.`,
  unreachable: (_, url) =>
    `${url} could not be read: the host could not be reached, or ended the connection.`,
  timeout: (_, url) => `${url} could not be read: the host took too long.`,
  redirected: (_, url) => `${url} is a redirect, which is not followed. Serve the file itself.`,
  not_found: (_, url) => `${url} does not exist: the host did not answer with status 200.`,
  server_failed: (_, url) => `${url} could not be read: the host answered with an error.`,
  no_line: (_, url) => `${url} has no line with the challenge.`,
  too_large: (_, url) => `${url} is larger than 16 KiB. Serve a file with the challenge alone.`,
};

export function presentPattern({ pattern, kind, claim }: DeclaredPattern) {
  if (kind === 'network') return { pattern, ...presentClaim(undefined), problem: NETWORK };
  const suffix = suffixOf(pattern);
  const recordName = recordNameOf(suffix);
  const url = `https://${suffix}${WELL_KNOWN_PATH}`;
  return {
    pattern,
    ...presentClaim(claim),
    problem: claim === undefined ? null : problemText(claim, recordName, url),
    recordName: hasRecords(suffix) ? recordName : null,
    url,
  };
}

function presentClaim(claim: Claim | undefined) {
  const isVerified = claim?.verifiedAt !== undefined;
  return {
    state: isVerified ? ('verified' as const) : ('declared' as const),
    method: claim?.method ?? null,
    verifiedAt: formatOrNull(claim?.verifiedAt),
    checkedAt: formatOrNull(claim?.checkedAt),
    recordName: null,
    url: null,
  };
}

/** Also says when the proof ends, while it still holds. */
function problemText(claim: Claim, record: string, url: string): string | null {
  const { problem, verifiedAt, failingSince } = claim;
  if (problem === undefined) return null;
  const text = PROBLEM_TEXTS[problem](record, url);
  if (verifiedAt === undefined || failingSince === undefined) return text;
  const end = new Date(failingSince.getTime() + WITHDRAWN_AFTER_MS);
  return `${text} The proof ends after ${formatUtc(end)} if this does not change.`;
}

function formatOrNull(date: Date | undefined): string | null {
  return date === undefined ? null : formatUtc(date);
}

import type { Quota } from './error.ts';

/** `Retry-After` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,10}$/.test(text.trim())) return Number(text);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}

/** The largest integer of a structured header (RFC 9651); the server sends it for no limit. */
export const UNLIMITED = 999_999_999_999_999;

/** The lookup quota. Creates and uploads report their rate limits in the same headers. */
export function parseQuota(headers: Headers): Quota | undefined {
  const policy = headers.get('ratelimit-policy');
  if (policy !== null && !policy.startsWith('"lookup"')) return undefined;
  const remaining = parseUnits(headers.get('x-ratelimit-remaining'));
  if (remaining === undefined) return undefined;
  return {
    limit: parseUnits(headers.get('x-ratelimit-limit')) ?? null,
    remaining,
    resetsAt: parseInstant(headers.get('x-ratelimit-reset')),
  };
}

/** Seconds since 1970, at most eleven digits. */
function parseInstant(text: string | null): string | null {
  if (text === null || !/^\d{1,11}$/.test(text)) return null;
  return `${new Date(Number(text) * 1000).toISOString().slice(0, 19)}Z`;
}

function parseUnits(text: string | null): number | null | undefined {
  if (text === null || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text) === UNLIMITED ? null : Number(text);
}

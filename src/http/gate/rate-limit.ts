import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { pause } from '../../platform/pause.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { AccountRate, AccountRates, RateState } from './account-rates.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Takes one unit of the caller's rate after the gate and before the body is read, and sets the same
 * headers as a lookup. Returns no hook if there is no limit.
 */
export function limitRate(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId) => rate.take(accountId));
}

/** For batches: checks the rate without taking a unit. `paceBatch` takes one for each line. */
export function checkBatchRate(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId) => rate.peek(accountId));
}

/**
 * Takes one unit per line. If too few are left, the batch waits, and reading its body with it. It
 * then continues in small groups, so that the client sees progress about once a second.
 */
export async function* paceBatch<Line>(
  groups: AsyncIterable<readonly Line[]>,
  rate: AccountRate | undefined,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Line[]> {
  for await (const group of groups) {
    let remaining = group;
    while (remaining.length > 0) {
      const lines =
        rate === undefined ? remaining : remaining.slice(0, rate.nextPortion(accountId));
      const waitMs = rate?.reserve(accountId, lines.length) ?? 0;
      if (waitMs > 0) await pause(waitMs, signal);
      // The client has disconnected.
      if (signal.aborted) return;
      yield lines;
      remaining = remaining.slice(lines.length);
    }
  }
}

/**
 * Takes that many units at once, or throws the refusal, for a call whose body says what it costs.
 * The headers of the response show what is left.
 */
export function takeUnits(
  { rates, now }: Pick<HttpDependencies, 'rates' | 'now'>,
  request: FastifyRequest,
  { policy, units }: { readonly policy: keyof AccountRates; readonly units: number },
): void {
  const rate = rates[policy];
  if (rate === undefined) return;
  const state = rate.takeAll(request.caller.accountId, units);
  request.rateHeaders = headersOf(rate, policy, state, now());
  if (!state.isAllowed) throw refusalOf(rate, policy, state);
}

function hooksFor(
  { rates, now }: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
  spend: (rate: AccountRate, accountId: string) => RateState,
): Hook[] {
  const rate = rates[policy];
  if (rate === undefined) return [];
  return [
    (request, _, done) => {
      const state = spend(rate, request.caller.accountId);
      request.rateHeaders = headersOf(rate, policy, state, now());
      if (state.isAllowed) done();
      else done(refusalOf(rate, policy, state));
    },
  ];
}

function headersOf(
  { burst, fillMs }: AccountRate,
  policy: string,
  { remaining, resetMs }: RateState,
  now: Date,
): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((now.getTime() + resetMs) / 1000)),
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.ceil(fillMs / 1000)}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

function refusalOf({ perMinute }: AccountRate, policy: string, { resetMs }: RateState): Problem {
  const parameters = { policy, limit: perMinute };
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new Problem('rate_limited', { parameters, retryAfterSeconds });
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CreateRate } from '../../domain/accounts/account-limits.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { pause } from '../../platform/pause.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { AccountRate, AccountRates, RateState } from './account-rates.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Takes one unit of the caller's rate after the gate and before the body is read, and sets the same
 * headers as a lookup. Sets none if there is no limit.
 */
export function limitRate(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId, own) => rate.take(accountId, own));
}

/** For batches: checks the rate without taking a unit. `paceBatch` takes one for each line. */
export function checkBatchRate(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId, own) => rate.peek(accountId, own));
}

/**
 * Takes one unit per line. If too few are left, the batch waits, and reading its body with it. It
 * then continues in small groups, so that the client sees progress about once a second.
 */
export async function* paceBatch<Line>(
  groups: AsyncIterable<readonly Line[]>,
  rate: AccountRate,
  { accountId, createRate: own }: Pick<Caller, 'accountId' | 'createRate'>,
  signal: AbortSignal,
): AsyncGenerator<readonly Line[]> {
  for await (const group of groups) {
    let remaining = group;
    while (remaining.length > 0) {
      const lines = remaining.slice(0, rate.nextPortion(accountId, own));
      const waitMs = rate.reserve(accountId, lines.length, own);
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
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  reply: FastifyReply,
  { policy, units }: { readonly policy: keyof AccountRates; readonly units: number },
): void {
  const refusal = spendRate(deps, reply, policy, (rate, accountId, own) =>
    rate.takeAll(accountId, units, own),
  );
  if (refusal !== undefined) throw refusal;
}

type Spend = (rate: AccountRate, accountId: string, own: CreateRate | undefined) => RateState;

function hooksFor(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
  spend: Spend,
): Hook[] {
  return [(_, reply, done) => done(spendRate(deps, reply, policy, spend))];
}

/** Sets the headers of the response, and returns the refusal. */
function spendRate(
  { rates, now }: Pick<HttpDependencies, 'rates' | 'now'>,
  reply: FastifyReply,
  policy: keyof AccountRates,
  spend: Spend,
): Problem | undefined {
  const { accountId, createRate } = reply.request.caller;
  const own = policy === 'create' ? createRate : undefined;
  const limit = rates[policy].rateOf(own);
  if (limit === undefined) return undefined;
  const { perMinute, burst, fillMs } = limit;
  const { isAllowed, remaining, resetMs } = spend(rates[policy], accountId, own);
  const seconds = Math.ceil(resetMs / 1000);
  reply.headers({
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((now().getTime() + resetMs) / 1000)),
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.ceil(fillMs / 1000)}`,
    ratelimit: `"${policy}";r=${remaining};t=${seconds}`,
  });
  if (isAllowed) return undefined;
  const parameters = { policy, limit: perMinute };
  return new Problem('rate_limited', { parameters, retryAfterSeconds: Math.max(1, seconds) });
}

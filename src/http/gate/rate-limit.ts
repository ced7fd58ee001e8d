import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { AccountRate, AccountRates, RateState } from './account-rates.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Takes one unit of the caller's rate, after the gate and before a body is read, and tells what is left in the headers
 * that lookups have. No hook where there is no limit.
 */
export function limitRate(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId) => rate.take(accountId));
}

/** The same for a batch, which takes a unit for each of its lines as they come (`slowDown`). */
export function limitBatches(
  deps: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
): Hook[] {
  return hooksFor(deps, policy, (rate, accountId) => rate.look(accountId));
}

/**
 * Takes a unit for each line; where there are too few, the lines wait, and with them whoever sends them. They then go on in
 * small groups, so that the sender sees about once a second that it goes on.
 */
export async function* slowDown<Line>(
  groups: AsyncIterable<readonly Line[]>,
  rate: AccountRate | undefined,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Line[]> {
  for await (const group of groups) {
    let rest = group;
    while (rest.length > 0) {
      const lines = rate === undefined ? rest : rest.slice(0, rate.portion(accountId));
      const waitMs = rate?.reserve(accountId, lines.length) ?? 0;
      if (waitMs > 0) await pause(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      // Nobody is there any more to be told of the rest.
      if (signal.aborted) return;
      yield lines;
      rest = rest.slice(lines.length);
    }
  }
}

function hooksFor(
  { rates, now }: Pick<HttpDependencies, 'rates' | 'now'>,
  policy: keyof AccountRates,
  ask: (rate: AccountRate, accountId: string) => RateState,
): Hook[] {
  const rate = rates[policy];
  if (rate === undefined) return [];
  const limit = String(rate.burst);
  const policyHeader = `"${policy}";q=${limit};w=${Math.ceil(rate.fillMs / 1000)}`;
  const words = { policy, limit: rate.perMinute };
  return [
    (request, reply, done) => {
      const { isTaken, remaining, resetMs } = ask(rate, request.caller.accountId);
      const seconds = Math.ceil(resetMs / 1000);
      reply.headers({
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(Math.ceil((now().getTime() + resetMs) / 1000)),
        'ratelimit-policy': policyHeader,
        ratelimit: `"${policy}";r=${remaining};t=${seconds}`,
      });
      if (isTaken) done();
      else done(new Problem('rate_limited', { words, retryAfterSeconds: Math.max(1, seconds) }));
    },
  ];
}

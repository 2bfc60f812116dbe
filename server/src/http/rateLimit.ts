/** Reports the remaining requests of a token, and refuses those beyond its limit. */

import type { RateBudgets, RateVerdict } from '@tapedeck/concurrency/rate-budgets';
import type { Clock } from '@tapedeck/domain/ports/clock';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyReply } from 'fastify';

export const rateWindowMs = 60_000; // RATE_LIMIT is per minute

export type RateLimit = (tokenId: string, reply: FastifyReply) => Promise<void> | void;

type RateLimitDeps = { requestsPerMinuteMax: number; budgets: RateBudgets; clock: Clock };

export function makeRateLimit({ requestsPerMinuteMax, budgets, clock }: RateLimitDeps): RateLimit {
  const answer = (reply: FastifyReply, { isAllowed, remaining, endsAt }: RateVerdict) => {
    const resetSeconds = Math.max(1, Math.ceil((endsAt - clock.now()) / 1000));
    reply.header('ratelimit-limit', String(requestsPerMinuteMax));
    reply.header('ratelimit-remaining', String(remaining));
    reply.header('ratelimit-reset', String(resetSeconds));
    if (isAllowed) return;
    throw new ServiceError('rate_limited', `This token may send ${requestsPerMinuteMax} requests a minute.`, {
      retryAfterSeconds: resetSeconds,
    });
  };
  return (tokenId, reply) => {
    const verdict = budgets.take(tokenId);
    return verdict instanceof Promise
      ? verdict.then(settled => answer(reply, settled))
      : answer(reply, verdict);
  };
}

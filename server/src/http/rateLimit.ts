/** Counts the requests of each token per minute, on this node. */
import type { FastifyReply } from 'fastify';
import type { Clock } from '../domain/ports/clock.ts';
import { ServiceError } from '../vocabulary.ts';

const windowMs = 60_000; // RATE_LIMIT is per minute

type Window = { startedAt: number; requests: number };

export type RateLimit = (tokenId: string, reply: FastifyReply) => void;

/** Windows begin with a token's first request in them; those that have ended are forgotten as new ones begin. */
export function makeRateLimit(requestsPerMinuteMax: number, clock: Clock): RateLimit {
  const windows = new Map<string, Window>();
  return (tokenId, reply) => {
    const now = clock.now();
    let window = windows.get(tokenId);
    if (window === undefined || hasEnded(window, now)) {
      forgetEnded(windows, now);
      window = { startedAt: now, requests: 0 };
      windows.delete(tokenId); // so that it moves to the end: windows stand in the order of their beginnings
      windows.set(tokenId, window);
    }
    window.requests += 1;
    const resetSeconds = Math.ceil((window.startedAt + windowMs - now) / 1000);
    reply.header('ratelimit-limit', String(requestsPerMinuteMax));
    reply.header('ratelimit-remaining', String(Math.max(0, requestsPerMinuteMax - window.requests)));
    reply.header('ratelimit-reset', String(resetSeconds));
    if (window.requests > requestsPerMinuteMax) {
      throw new ServiceError(
        'rate_limited',
        `This token may send ${requestsPerMinuteMax} requests a minute.`,
        {
          retryAfterSeconds: resetSeconds,
        },
      );
    }
  };
}

function forgetEnded(windows: Map<string, Window>, now: number): void {
  for (const [tokenId, window] of windows) {
    if (!hasEnded(window, now)) return;
    windows.delete(tokenId);
  }
}

/** Also true when the clock was set back. */
function hasEnded({ startedAt }: Window, now: number): boolean {
  return now - startedAt >= windowMs || now < startedAt;
}

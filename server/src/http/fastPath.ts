/** Answers frequent requests before Node.js's server parses them: cached media, and simple batches of log entries. */
import type { FastPath } from '@tapedeck/fast-http';
import { type DirectIntakeDeps, openDirectIntake } from './logs/batchRequests.ts';
import { type HotMediaDeps, openHotMedia } from './media/hotMedia.ts';
import type { RateLimit } from './rateLimit.ts';

type FastPathDeps = HotMediaDeps & DirectIntakeDeps & { rateLimit: RateLimit | null };

/** If requests are counted by token, the router handles all requests with a token. */
export function openFastPath(deps: FastPathDeps): FastPath {
  return {
    answer: openHotMedia(deps),
    admit: deps.rateLimit === null ? openDirectIntake(deps) : () => null,
  };
}

/** Decides which web pages may call assistants' tools: those of this service, and those of programs on the same machine. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyRequest } from 'fastify';

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Throws for a page from elsewhere. The protocol requires this against DNS rebinding, by which a page reaches servers inside a network. Here it
 * would also lack the token.
 */
export function requireOwnOrigin({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): void {
  const { origin } = headers;
  if (origin === undefined || origin === new URL(publicUrl).origin) return;
  if (URL.canParse(origin) && localHosts.has(new URL(origin).hostname)) return;
  throw new ServiceError(
    'cross_site',
    "Pages of other sites may not use this address: leave the header Origin out, or call it from the service's own address.",
  );
}

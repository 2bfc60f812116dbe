/** Names the owner of a request's share of a limit: the project, else the user, else the client address. */

import { findClientSubnet } from '@tapedeck/web/client-addresses';
import type { FastifyRequest } from 'fastify';
import { nameShareKey } from '../domain/identity/principals.ts';

export function shareKeyOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findClientSubnet(visitor) : nameShareKey(caller);
}

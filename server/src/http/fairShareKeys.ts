/** Names who a request's part of something shared counts for: the project, else the user, else the address it comes from. */

import { findClientSubnet } from '@tapedeck/client-addresses';
import type { FastifyRequest } from 'fastify';
import { nameShareKey } from '../domain/identity/principals.ts';

export function shareKeyOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findClientSubnet(visitor) : nameShareKey(caller);
}

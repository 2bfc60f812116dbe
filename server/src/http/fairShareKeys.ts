/** Names who a request's part of something shared counts for: the project, else the user, else the address it comes from. */

import { findClientSubnet } from '@tapedeck/client-addresses';
import type { FastifyRequest } from 'fastify';
import { nameHolder } from '../domain/identity/principals.ts';

export function holderOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findClientSubnet(visitor) : nameHolder(caller);
}

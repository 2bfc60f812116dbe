/** Names who a request's part of something shared counts for: the project, else the user, else the address it comes from. */
import type { FastifyRequest } from 'fastify';
import { findClientSubnet } from '../domain/clientSubnets.ts';
import { nameHolder } from '../domain/principals.ts';

export function holderOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findClientSubnet(visitor) : nameHolder(caller);
}

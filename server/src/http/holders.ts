/** Names who a request's part of something shared counts for: the project, else the user, else the address it comes from. */
import type { FastifyRequest } from 'fastify';
import { nameHolder } from '../domain/principals.ts';
import { findVisitorNet } from '../domain/visitorNets.ts';

export function holderOf({ caller, visitor }: Pick<FastifyRequest, 'caller' | 'visitor'>): string {
  return caller === null ? findVisitorNet(visitor) : nameHolder(caller);
}

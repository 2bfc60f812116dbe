/** Reads the Content-Type of requests, and tells whether such a body can be JSON. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../vocabulary.ts';
import { mayBeJson } from '../fieldSpellings.ts';

/** In lower case, without parameters; `''` where nothing is declared. */
export function declaredType({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

export function requireJson(request: FastifyRequest): void {
  if (mayBeJson(declaredType(request))) return;
  throw new ServiceError('unsupported_content_type', 'Send the entries as application/json.');
}

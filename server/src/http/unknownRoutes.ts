/** Answers what no route takes: preflights, wrong methods, unknown paths; pages of the dashboard to browsers. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';
import { answerPreflight } from './cors.ts';
import { explainMissing } from './fieldSpellings.ts';

export type KnownRoute = { method: string; pattern: RegExp };

/** `/a/{b}` takes one segment for b, `/a/{b*}` takes all that follow. */
export function toKnownRoute(method: string, path: string): KnownRoute {
  const source = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{\w+\\\*\}/, '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return { method, pattern: new RegExp(`^${source}$`) };
}

export function answerUnknown(
  known: readonly KnownRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = request.url.split('?', 1)[0]!;
  const methods = allowedMethods(known, path);
  // A known path whose method is allowed holds a name that cannot be, or a page that is not built.
  if (methods.length === 0 || (methods.includes(request.method) && request.method !== 'OPTIONS')) {
    // The path is not repeated: it may hold a token.
    const usual = 'There is nothing at this path; /openapi.json lists what there is.';
    throw new ServiceError('not_found', explainMissing(path) ?? usual);
  }
  if (request.method === 'OPTIONS') {
    answerPreflight(request, reply, methods);
    return;
  }
  reply.header('allow', methods.join(', '));
  throw new ServiceError(
    'method_not_allowed',
    `${request.method} is not possible here; use ${methods.join(' or ')}.`,
  );
}

function allowedMethods(known: readonly KnownRoute[], path: string): string[] {
  const methods = new Set(known.filter(route => route.pattern.test(path)).map(route => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods];
}

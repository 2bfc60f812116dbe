/** Answers requests that match no route: preflights, wrong methods, unknown paths. Browsers get dashboard pages. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { describeServer } from '@tapedeck/resumable-uploads';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { respondPreflight } from './cors.ts';
import { explainMissing } from './fieldAliases.ts';
import { toPathPattern } from './pathPatterns.ts';
import { isResumable } from './responseHeaders.ts';

/** All routes, and the upload size limit. */
type Known = { known: readonly KnownRoute[]; fileSizeBytesMax: number };

type KnownRoute = { method: string; path: string; pattern: RegExp };

/** Patterns by path. A process that starts many services, as tests do, compiles each once. */
const patterns = new Map<string, RegExp>();

export function toKnownRoute(method: string, path: string): KnownRoute {
  const pattern = patterns.get(path) ?? new RegExp(`^${toPathPattern(path)}$`);
  patterns.set(path, pattern);
  return { method, path, pattern };
}

/** Finds the more specific routes that match each path. Most paths have none. */
export function findRivals(known: readonly KnownRoute[]): ReadonlyMap<string, readonly KnownRoute[]> {
  const rivals = new Map<string, readonly KnownRoute[]>();
  for (const { path, pattern } of known.filter(route => route.path.includes('{'))) {
    const begin = path.slice(0, path.indexOf('{')); // testing every pattern on every path takes a tenth of a start
    const nearer = known.filter(
      other => other.path !== path && other.path.startsWith(begin) && pattern.test(other.path),
    );
    if (nearer.length > 0) rivals.set(path, nearer);
  }
  return rivals;
}

/**
 * Returns whether the request means a rival of the route that the router found. The router looks only among routes of the method, and takes
 * `/a/b` for `/a/{c}` if only the latter has that method.
 */
export function isShadowed({ url, method }: FastifyRequest, rivals: readonly KnownRoute[]): boolean {
  const path = withoutQuery(url);
  const meant = rivals.filter(({ pattern }) => pattern.test(path));
  const routedMethod = method === 'HEAD' ? 'GET' : method;
  return meant.length > 0 && !meant.some(route => route.method === routedMethod);
}

export function respondUnknown(
  { known, fileSizeBytesMax }: Known,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = withoutQuery(request.url);
  const methods = allowedMethods(known, path);
  // A known path with an allowed method means an impossible name, or a page that was not built.
  if (methods.length === 0 || (methods.includes(request.method) && request.method !== 'OPTIONS')) {
    // Does not repeat the path, which may hold a token.
    const usual = 'There is nothing at this path; /openapi.json lists all paths.';
    throw new ServiceError('not_found', explainMissing(path) ?? usual);
  }
  if (request.method === 'OPTIONS') {
    if (isResumable(path)) reply.headers(describeServer(fileSizeBytesMax));
    respondPreflight(request, reply, methods);
    return;
  }
  reply.header('allow', methods.join(', '));
  throw new ServiceError(
    'method_not_allowed',
    `${request.method} is not possible here; use ${methods.join(' or ')}.`,
  );
}

/** Returns the methods of the most specific routes for the path: `/a/b` before `/a/{c}` before `/a/{c*}`. */
function allowedMethods(known: readonly KnownRoute[], path: string): string[] {
  const fitting = known.filter(({ pattern }) => pattern.test(path));
  const nearest = fitting.filter(
    route => !fitting.some(other => other.path !== route.path && isNearer(other, route)),
  );
  const methods = new Set(nearest.map(route => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods];
}

function isNearer(one: KnownRoute, other: KnownRoute): boolean {
  return other.pattern.test(one.path) && !one.pattern.test(other.path);
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0]!;
}

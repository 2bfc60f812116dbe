/** CORS: pages of any site may use the API with a token, but only the dashboard may use the management API. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { foreignPaths } from './ingest/contract.ts';
import { lokiPaths } from './loki/contract.ts';
import { toPathPattern } from './pathPatterns.ts';

const preflightAgeSeconds = 86_400; // a day; browsers limit it further
const exposedHeaders =
  'X-Request-Id, X-Error-Code, X-Sentry-Rate-Limits, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ETag, Content-Range, Content-Disposition';
const requestHeadersAllowed =
  'Authorization, Content-Type, Content-Encoding, Idempotency-Key, Last-Event-ID, Range, X-Service-Dataset';

/** The routes of other programs' protocols, whose clients also run in pages and games. */
const foreign = new RegExp(`^(?:${[...foreignPaths, ...lokiPaths].map(toPathPattern).join('|')})(?:\\?|$)`);

export function allowsOtherSites(path: string): boolean {
  if (path.startsWith('/api/')) return !path.startsWith('/api/manage');
  return path.startsWith('/media/') || foreign.test(path);
}

export const otherSitesHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
};

export function setCorsHeaders(reply: FastifyReply): void {
  reply.headers(otherSitesHeaders);
}

/** Allows the header names that the page asks for, because `*` does not cover Authorization. */
export function respondPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): void {
  const requestedHeaders = String(request.headers['access-control-request-headers'] ?? '');
  reply.header('allow', methods.join(', '));
  if (allowsOtherSites(request.url)) {
    reply.header('access-control-allow-methods', methods.join(', '));
    reply.header(
      'access-control-allow-headers',
      /^[\w\s,-]+$/.test(requestedHeaders) ? requestedHeaders : requestHeadersAllowed,
    );
    reply.header('access-control-max-age', String(preflightAgeSeconds));
    reply.header('vary', 'Access-Control-Request-Headers');
  }
  reply.code(isCollectorRequest(request) ? 200 : 204).send();
}

/** Docker's Splunk log driver checks this way whether the collector is there, and starts nothing at another status. */
function isCollectorRequest({ url, headers }: FastifyRequest): boolean {
  return url.startsWith('/services/collector') && headers.origin === undefined;
}

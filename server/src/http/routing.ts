/** Binds the contract's routes to their handlers: access, validation, response. */

import {
  type BodyOf,
  changesByCookie,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type Route,
} from '@tapedeck/contract/route';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import type { TokenPrincipal, UserReader } from '@tapedeck/domain/identity/principals';
import { limits, ServiceError } from '@tapedeck/domain/vocabulary';
import type { FindClientAddress } from '@tapedeck/web/client-addresses';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { admitCaller, type Caller, type CallerDeps, type CallerOf, findTokenText } from './authentication.ts';
import type { Exchange, FailureResponse } from './failures.ts';
import type { QueryParameters } from './queryParameters.ts';
import type { RateLimit } from './rateLimit.ts';
import { headersAt, type ResponseHeaders } from './responseHeaders.ts';
import { requireSameSite } from './sessionCookie.ts';

const unreadBodyBytesMax = 1024 * 1024; // on routes without a body: ignored, never parsed

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** The parameters of the query string as they arrived; `query` has those of the route's shape. */
    parameters: QueryParameters;
    /**
     * The project of the token or presigned URL once it is known, even if it is refused. Otherwise the project in which the caller has a role.
     */
    project: string | null;
    /** The address of a caller without credentials, on routes that take a body. */
    visitor: string;
    /** The token at the beginning of the body, if the head of the request has none. */
    bodyToken: string | null;
    /** Checks the sender of the body again, and rejects if access was lost. */
    readmit: (() => Promise<unknown>) | null;
    /** Counts the request for the token, and refuses it beyond the rate limit. */
    countAs(tokenId: string): Promise<void> | void;
  }
  interface FastifyContextConfig {
    route?: Route;
    /** Headers of every response of the route, however its path is percent-encoded. */
    headers?: ResponseHeaders;
    formatFailure?: FormatFailure | undefined;
  }
}

export type Call<R extends Route> = {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  caller: CallerOf<R['access']>;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** A call that tokens and signed-in users make alike, for answers that two routes share. */
export type RouteRequest<R extends Route> = Omit<Call<R>, 'caller' | 'body'> & {
  caller: TokenPrincipal | UserReader;
};

/** The entire answer of many routes. */
export const ok = { status: 'ok' } as const;

/** A route and its handler. Only `handle` knows its types. */
export type HandledRoute = {
  route: Route;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Writes failures in the form of another program's protocol. */
  formatFailure?: FormatFailure;
  /** Finds the token in the body, if the head of the request has none. */
  readBodyToken?: ReadBodyToken;
};

type ReadBodyToken = (request: FastifyRequest) => Promise<string | null>;

/** Returns the body. Sets status and type if they differ. */
export type FormatFailure = (failure: FailureResponse, exchange: Exchange) => string | Buffer;

/** The routes of an area, and a function that builds their handlers from their dependencies. */
export type RouteModule<Deps> = { routes: readonly Route[]; handle(deps: Deps): HandledRoute[] };

/** The handler returns the body of the 200, or the reply if it has sent something else itself. */
export function handle<R extends Route>(
  route: R,
  handler: (call: Call<R>) => Promise<ResponseOf<R> | FastifyReply>,
): HandledRoute {
  return {
    route,
    answer: (request, reply) => {
      const { params, query, body, caller } = request;
      // The route's shapes, which define these types, and its access have checked them.
      return handler({ params, query, body, caller, request, reply } as Call<R>);
    },
  };
}

export type RegistryDeps = CallerDeps & {
  address: UrlDeps['address'];
  findClientAddress: FindClientAddress;
  rateLimit: RateLimit | null;
};

export function registerRoutes(
  app: FastifyInstance,
  deps: RegistryDeps,
  handled: readonly HandledRoute[],
): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('parameters');
  app.decorateRequest('project', null);
  app.decorateRequest('visitor', '');
  app.decorateRequest('bodyToken', null);
  app.decorateRequest('readmit', null);
  app.decorateRequest('countAs', () => {});
  addRoutes(
    app,
    deps,
    handled.filter(({ route }) => route.stream === undefined),
  );
  app.register(async scope => {
    handOnBodies(scope);
    addRoutes(
      scope,
      deps,
      handled.filter(({ route }) => route.stream !== undefined),
    );
  });
}

/** Leaves bodies in this scope to its handlers, which read them as streams. */
function handOnBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

function addRoutes(app: FastifyInstance, deps: RegistryDeps, handled: readonly HandledRoute[]): void {
  for (const { route, answer, formatFailure, readBodyToken } of handled) {
    app.route({
      method: route.method,
      url: toRouterPath(route.path),
      schema: schemaOf(route),
      config: { route, headers: headersAt(route.path), formatFailure },
      bodyLimit: bodyBytesMaxOf(route),
      onRequest: makeGuard(deps, route, readBodyToken),
      handler: answer,
    });
  }
}

/** Returns a limit that keeps parsing and checking short for the event loop. */
function bodyBytesMaxOf({ body, bodyBytesMax = limits.jsonBodyBytesMax }: Route): number {
  return body ? bodyBytesMax : unreadBodyBytesMax;
}

/** Converts a path to the notation of Fastify's router and of metrics. */
export function toRouterPath(path: string): string {
  return path.replace(/\{\w+\*\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
}

function schemaOf(route: Route): FastifySchema {
  return {
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    response: { 200: route.answer },
  };
}

/** Checks in the contract's order: credentials, permission, rate, size. Query and body are checked once the body is complete. */
function makeGuard(deps: RegistryDeps, route: Route, readBodyToken?: ReadBodyToken) {
  const wildcard = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  const ownSiteAlone = changesByCookie(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (wildcard !== undefined) nameWildcard(request, wildcard);
    requirePossiblePath(request);
    request.parameters = request.query as QueryParameters; // until the check replaces it, this is what the parser returned
    // Routes without a body accept any content type, even a malformed one.
    if (!route.body && !(route.stream && namesType(request))) delete request.headers['content-type'];
    if (readBodyToken && route.access.by === 'token' && findTokenText(route.access, request) === null)
      request.bodyToken = await readBodyToken(request);
    request.caller = await admitCaller(deps, route.access, request);
    if (request.caller === null && (route.body || route.stream))
      request.visitor = deps.findClientAddress(request.raw);
    if (ownSiteAlone) requireSameSite(request, new URL(deps.address.publicUrl).origin);
    if (deps.rateLimit !== null) await limitRate(deps.rateLimit, request, reply);
    if (route.stream) request.readmit = () => admitCaller(deps, route.access, request);
    else requireDeclaredSize(request, bodyBytesMaxOf(route));
  };
}

/** Counts the request of a token. Without a credential, the handler counts it once it knows whose it is. */
async function limitRate(rateLimit: RateLimit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.countAs = tokenId => rateLimit(tokenId, reply);
  if (request.caller?.kind === 'token') await request.countAs(request.caller.countedAs);
}

/** Returns whether the request declares a content type; an empty header declares none. */
function namesType({ headers }: FastifyRequest): boolean {
  return /^\s*[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;|$)/.test(headers['content-type'] ?? '');
}

/** Throws 404 if a parameter holds U+0000, which no name holds and no database stores. */
function requirePossiblePath(request: FastifyRequest): void {
  // Parameters are texts until they are checked.
  const values = Object.values(request.params as Record<string, string>);
  if (values.some(value => value.includes('\0')))
    throw new ServiceError('not_found', 'There is nothing at this path.');
}

/** Renames the router's parameter `*` to the contract's name. */
function nameWildcard(request: FastifyRequest, name: string): void {
  // The router fills a new params object for each request.
  const params = request.params as Record<string, unknown>;
  params[name] = params['*'];
}

/** Throws 413 if Content-Length exceeds the limit, before the content type is checked. */
function requireDeclaredSize(request: FastifyRequest, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) <= bytesMax) return;
  throw new ServiceError('body_too_large', `The body may hold at most ${bytesMax} bytes.`);
}

/**
 * Aborts when the client goes away. A client that closes its sending side before the answer counts as gone: a server that answered it would see
 * no other sign of clients that leave.
 */
export function signalOf(reply: FastifyReply): AbortSignal {
  const { raw } = reply;
  const { socket } = raw;
  const controller = new AbortController();
  const abort = () => controller.abort(new ServiceError('bad_request', 'The client has gone.'));
  const onClose = () => {
    socket?.off('end', abort);
    if (!raw.writableFinished) abort();
  };
  if (raw.destroyed) onClose();
  else {
    raw.once('close', onClose);
    socket?.once('end', abort);
  }
  return controller.signal;
}

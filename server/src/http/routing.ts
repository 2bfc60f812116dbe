/** Binds the contract's routes to their handlers: access, validation, response. */

import {
  type BodyOf,
  changesByCookie,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type Route,
} from '@tapedeck/contract/route';
import type { FindClientAddress } from '@tapedeck/web/client-addresses';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { UrlDeps } from '../domain/files/naming.ts';
import type { TokenPrincipal, UserReader } from '../domain/identity/principals.ts';
import { limits, ServiceError } from '../vocabulary.ts';
import {
  admitCaller,
  type Caller,
  type CallerDeps,
  type CallerOf,
  findTokenText,
  watchBodyAccess,
} from './authentication.ts';
import { type Exchange, type FailureResponse, refuseLate } from './failures.ts';
import type { RateLimit } from './rateLimit.ts';
import { headersAt, type ResponseHeaders } from './responseHeaders.ts';
import { requireSameSite } from './sessionCookie.ts';

const unreadBodyBytesMax = 1024 * 1024; // on a route that takes none: passed over, never parsed

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** That of the token or of the presigned URL, once it is known, also when that is refused; else the one that the caller has a role in. */
    project: string | null;
    /** The address of a caller without credentials, on routes that take a body. */
    visitor: string;
    /** The token that the body begins with, where the head of the request has none. */
    bodyToken: string | null;
    /** Checks the sender of the body again; rejects when it is no longer allowed. */
    readmit: (() => Promise<unknown>) | null;
    /** Counts the request as one of the token, and refuses it beyond the rate limit. */
    countAs(tokenId: string): Promise<void> | void;
  }
  interface FastifyContextConfig {
    route?: Route;
    /** Headers of every response of the route, however its path is percent-encoded. */
    headers?: ResponseHeaders;
    spellFailure?: SpellFailure | undefined;
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

/** A call as tokens and signed-in users make it alike, for answers that two routes share. */
export type Asked<R extends Route> = Omit<Call<R>, 'caller' | 'body'> & {
  caller: TokenPrincipal | UserReader;
};

/** The whole answer of many routes. */
export const ok = { status: 'ok' } as const;

/** A route with its handler, whose types only `handle` knows. */
export type HandledRoute = {
  route: Route;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Writes failures in the form of another program's protocol. */
  spellFailure?: SpellFailure;
  /** Finds the token in the body; asked where the head of the request has none. */
  readBodyToken?: ReadBodyToken;
};

type ReadBodyToken = (request: FastifyRequest) => Promise<string | null>;

/** Sets status and type where they differ, and returns the body. */
export type SpellFailure = (failure: FailureResponse, exchange: Exchange) => string | Buffer;

/** The routes of an area, and what makes their handlers of the things that these use. */
export type RouteModule<Deps> = { routes: readonly Route[]; handle(deps: Deps): HandledRoute[] };

/** The handler answers the body of the 200, or the reply itself once it has sent something else. */
export function handle<R extends Route>(
  route: R,
  handler: (call: Call<R>) => Promise<ResponseOf<R> | FastifyReply>,
): HandledRoute {
  return {
    route,
    answer: (request, reply) => {
      const { params, query, body, caller } = request;
      // Checked against the very shapes these types are computed from, and by the access of the same route.
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

/** Leaves the body to the handlers of this scope, which read it as a stream. */
function handOnBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

function addRoutes(app: FastifyInstance, deps: RegistryDeps, handled: readonly HandledRoute[]): void {
  for (const { route, answer, spellFailure, readBodyToken } of handled) {
    app.route({
      method: route.method,
      url: toRouterPath(route.path),
      schema: schemaOf(route),
      config: { route, headers: headersAt(route.path), spellFailure },
      bodyLimit: bodyBytesMaxOf(route),
      onRequest: makeGuard(deps, route, readBodyToken),
      handler: answer,
    });
  }
}

/** Small enough that parsing and checking any body takes the event loop only a moment. */
function bodyBytesMaxOf({ body, bodyBytesMax = limits.jsonBodyBytesMax }: Route): number {
  return body ? bodyBytesMax : unreadBodyBytesMax;
}

/** The path as Fastify's router writes it, and as metrics name it. */
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

/** Judges in the contract's order: credentials, permission, rate, size. Query and body are checked after the body has come. */
function makeGuard(deps: RegistryDeps, route: Route, readBodyToken?: ReadBodyToken) {
  const wildcard = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  const ownSiteAlone = changesByCookie(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (wildcard !== undefined) nameWildcard(request, wildcard);
    requirePossiblePath(request);
    // What takes no body asks nothing of a content type, not even that it is one.
    if (!route.body && !(route.stream && namesType(request))) delete request.headers['content-type'];
    if (readBodyToken && route.access.by === 'token' && findTokenText(route.access, request) === null)
      request.bodyToken = await readBodyToken(request);
    request.caller = await admitCaller(deps, route.access, request);
    if (request.caller === null && (route.body || route.stream))
      request.visitor = deps.findClientAddress(request.raw);
    if (ownSiteAlone) requireSameSite(request, new URL(deps.address.publicUrl).origin);
    if (deps.rateLimit !== null) await limitRate(deps.rateLimit, request, reply);
    if (route.stream) {
      request.readmit = () => admitCaller(deps, route.access, request);
      watchBodyAccess(request, failure => refuseLate(reply, failure));
    } else requireDeclaredSize(request, bodyBytesMaxOf(route));
  };
}

/** A request that nobody's credential stands behind is counted when its handler finds out whose it is. */
async function limitRate(rateLimit: RateLimit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.countAs = tokenId => rateLimit(tokenId, reply);
  if (request.caller?.kind === 'token') await request.countAs(request.caller.countedAs);
}

/** Returns whether the request declares a content type; an empty header declares none. */
function namesType({ headers }: FastifyRequest): boolean {
  return /^\s*[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;|$)/.test(headers['content-type'] ?? '');
}

/** Throws 404 when a parameter holds U+0000: no name holds it, and no database takes it. */
function requirePossiblePath(request: FastifyRequest): void {
  // Parameters are texts until they are checked.
  const values = Object.values(request.params as Record<string, string>);
  if (values.some(value => value.includes('\0')))
    throw new ServiceError('not_found', 'There is nothing at this path.');
}

/** Gives the parameter that the router calls `*` the name that the contract has for it. */
function nameWildcard(request: FastifyRequest, name: string): void {
  // The router fills params with an object of its own for each request.
  const params = request.params as Record<string, unknown>;
  params[name] = params['*'];
}

/** Throws 413 when Content-Length exceeds the limit, before the content type is looked at. */
function requireDeclaredSize(request: FastifyRequest, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) <= bytesMax) return;
  throw new ServiceError('body_too_large', `The body may hold at most ${bytesMax} bytes.`);
}

/**
 * Aborts when the client goes away. A client that closes its own end before the answer counts as gone: a server that answers such clients
 * has no other sign that one has left.
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

/** Puts the door together: limits, headers, routes, answers to everything else. */
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { describeApi } from '../contract/openapi.ts';
import type { Route } from '../contract/route.ts';
import { newId } from '../domain/ids.ts';
import { limits } from '../vocabulary.ts';
import { readBodies } from './bodies.ts';
import { limitBodyIdle } from './bodyIdle.ts';
import { setCorsHeaders } from './cors.ts';
import { type Dashboard, serveDashboard } from './dashboard.ts';
import { documentPaths, serveDocuments } from './documents.ts';
import { answerFailure } from './failures.ts';
import { answerMalformed } from './malformed.ts';
import type { Metrics } from './metrics.ts';
import { type DoorDeps, type HandledRoute, registerRoutes } from './registry.ts';
import { answerUnknown, toKnownRoute } from './unknownRoutes.ts';
import { compileValidator } from './validation.ts';

export type ServerDeps = DoorDeps & {
  log: Logger;
  metrics: Metrics;
  version: string;
  dashboardDirectory: string;
  handled: readonly HandledRoute[];
};

export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const app = makeFastify(deps.log);
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler((error, request, reply) => answerFailure(deps.log, error, request, reply));
  readBodies(app);
  deps.metrics.watch(app);
  addHooks(app);
  registerRoutes(app, deps, deps.handled);
  const routes = deps.handled.map(({ route }) => route);
  await serveDocuments(app, describeApi(routes, deps.version));
  const dashboard = await serveDashboard(app, deps.dashboardDirectory);
  answerTheRest(app, routes, dashboard);
  return app;
}

function makeFastify(log: Logger): FastifyInstance {
  return Fastify({
    logger: false,
    trustProxy: 'loopback',
    forceCloseConnections: 'idle',
    genReqId: ({ headers }) => readRequestId(headers['x-request-id']) ?? newId(),
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => answerFailure(log, error, request, reply),
    clientErrorHandler: (error, socket) => answerMalformed(error, socket as Socket),
    http: {
      headersTimeout: limits.headersTimeMsMax,
      maxHeaderSize: limits.headersBytesMax,
      requestTimeout: 0, // bodies are limited by idleness: a slow phone may take minutes
      connectionsCheckingInterval: 1_000,
    },
  });
}

/** The caller's own id when it is harmless, so that both sides' logs can be matched. */
function readRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : null;
}

function addHooks(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    setCorsHeaders(request, reply);
    limitBodyIdle(request, reply);
    done();
  });
}

function answerTheRest(app: FastifyInstance, routes: readonly Route[], dashboard: Dashboard): void {
  const known = [
    ...routes.map(route => toKnownRoute(route.method, route.path)),
    ...['/', ...documentPaths].map(path => toKnownRoute('GET', path)),
  ];
  app.setNotFoundHandler((request, reply) => {
    if (!dashboard.sendPage(request, reply)) answerUnknown(known, request, reply);
  });
}

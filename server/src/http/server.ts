/** Builds the HTTP server: limits, headers, routes, and responses to everything else. */
import { createServer as createHttpServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { describeApi } from '@tapedeck/contract/openapi';
import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { limits } from '@tapedeck/domain/vocabulary';
import {
  type Connections,
  declinesUpgrade,
  endBehindLast,
  type FastPath,
  finishPendingResponses,
  GatheredMessage,
  serveFast,
  serveNatively,
} from '@tapedeck/fast-http';
import { HeldBytes } from '@tapedeck/request-bodies';
import type { Tracer } from '@tapedeck/tracing';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readBodies } from './bodies/bodies.ts';
import { respondConnect, respondMalformed } from './connection/badRequests.ts';
import { respondExpectations } from './connection/expectContinue.ts';
import { handleHeads, nameRequest, openRewriting, parseParameters } from './connection/requestHeads.ts';
import { serveWebSockets } from './connection/webSockets.ts';
import { allowsOtherSites, setCorsHeaders } from './cors.ts';
import { type Dashboard, serveDashboard } from './dashboard.ts';
import { documentPaths, serveDocuments } from './documentation/documents.ts';
import { respondFailure } from './failures.ts';
import type { Metrics } from './metrics.ts';
import { traceRequests } from './requestSpans.ts';
import { routes as describedRoutes } from './routes.ts';
import { type HandledRoute, type RegistryDeps, registerRoutes } from './routing.ts';
import { findRivals, respondUnknown, toKnownRoute } from './unknownRoutes.ts';
import { compileSerializer, compileValidator } from './validation.ts';

export const directBodyBytesMax = 512 * 1024; // a thousand waiting connections may each hold this much memory

type ServerDeps = RegistryDeps & {
  log: Logger;
  metrics: Metrics;
  counts: ProjectCounts;
  /** null: tracing is off. */
  tracer: Tracer | null;
  dashboardDirectory: string;
  guidesDirectory: string;
  fileSizeBytesMax: number;
  handled: readonly HandledRoute[];
  /** null: Node.js's server reads every connection from the start. */
  fastPath: FastPath | null;
  timeouts: Timeouts;
};

/** How long the server waits for clients. Tests use shorter times. */
export type Timeouts = {
  headersMsMax: number;
  bodyIdleMsMax: number;
  stopGraceMsMax: number;
  readingPauseMsMax: number;
};

export const usualTimeouts: Timeouts = {
  headersMsMax: limits.headersTimeMsMax,
  bodyIdleMsMax: limits.bodyIdleMsMax,
  stopGraceMsMax: limits.stopGraceMsMax,
  readingPauseMsMax: limits.readingPauseMsMax,
};

/** `stop` stops listening at once, and cuts unfinished answers after a grace period. */
type HttpServer = { app: FastifyInstance; stop(): Promise<void> };

export async function createServer(deps: ServerDeps): Promise<HttpServer> {
  const { app, connections } = makeFastify(deps);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler((error, request, reply) => respondFailure(deps, error, { request, reply }));
  readBodies(app);
  deps.metrics.requests.watch(app);
  traceRequests(app, deps.tracer);
  const dashboard = await serveDashboard(app, deps.dashboardDirectory);
  answerHeads(app, connections, { ...deps, dashboard });
  registerRoutes(app, deps, deps.handled);
  serveDocuments(app, { ...deps, describe: () => describeApi(describedRoutes) });
  return { app, stop: () => stopServer(app, connections, deps.timeouts.stopGraceMsMax) };
}

function makeFastify(deps: ServerDeps): { app: FastifyInstance; connections: Connections } {
  const { access, fastPath } = deps;
  const { headersMsMax } = deps.timeouts;
  const server = createHttpServer({
    headersTimeout: headersMsMax,
    maxHeaderSize: limits.headersBytesMax,
    requireHostHeader: false, // Node.js would refuse without an explanation; see `requireSoundHead` in requestHeads.ts
    requestTimeout: 0, // a time limit on idleness covers bodies: a slow phone may take minutes
    connectionsCheckingInterval: headersMsMax / 10,
    keepAliveTimeout: limits.keepAliveMs,
    shouldUpgradeCallback: declinesUpgrade,
    IncomingMessage: GatheredMessage,
  });
  server.maxHeadersCount = 0; // their bytes are limited; a number would silently drop further headers
  const connections = beginConnections(server, fastPath, headersMsMax);
  const app = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    rewriteUrl: openRewriting(access),
    return503OnClosing: false, // clients connected when the stop begins still get answers
    genReqId: nameRequest,
    routerOptions: {
      maxParamLength: limits.pathParameterCharactersMax,
      ignoreTrailingSlash: false,
      querystringParser: parseParameters,
    },
    frameworkErrors: (error, request, reply) => {
      if (allowsOtherSites(request.url)) setCorsHeaders(reply); // no hook runs before these
      respondFailure(deps, error, { request, reply });
    },
    clientErrorHandler: (error, socket) => {
      // Fastify's type is wider than Node.js's: an HTTP server has sockets.
      void respondMalformed({ answersOn: connections.answersOn, headersMsMax }, error, socket as Socket);
    },
    serverFactory: route => server.on('request', endBehindLast(connections.serveInTurn(route))),
  });
  serveWebSockets(app.server, connections);
  app.server.on('connect', async (_request, socket: Socket) => {
    if (await finishPendingResponses(connections, socket)) respondConnect(socket);
    connections.release(socket);
  });
  respondExpectations(app.server);
  return { app, connections };
}

function beginConnections(server: Server, fastPath: FastPath | null, headersMsMax: number): Connections {
  if (fastPath === null) return serveNatively(server);
  return serveFast(server, {
    fastPath,
    headersMsMax,
    headersBytesMax: limits.headersBytesMax,
    bodyBytesMax: directBodyBytesMax,
    openAccount: (holder, endSlow) => new HeldBytes(holder, endSlow),
  });
}

async function stopServer(app: FastifyInstance, connections: Connections, graceMs: number): Promise<void> {
  const cutOff = setTimeout(() => connections.cutAll(), graceMs);
  const closed = app.close();
  connections.beginStop();
  await closed;
  clearTimeout(cutOff);
}

/** Handles the heads of all requests, and answers those that no route takes. */
function answerHeads(
  app: FastifyInstance,
  connections: Connections,
  deps: Pick<ServerDeps, 'handled' | 'fileSizeBytesMax' | 'timeouts'> & { dashboard: Dashboard },
): void {
  const known = [
    ...deps.handled.map(({ route }) => toKnownRoute(route.method, route.path)),
    ...['/', ...documentPaths].map(path => toKnownRoute('GET', path)),
  ];
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    if (!deps.dashboard.sendPage(request, reply)) respondUnknown({ ...deps, known }, request, reply);
  };
  const { bodyIdleMsMax } = deps.timeouts;
  handleHeads(app, { connections, bodyIdleMsMax, rivals: findRivals(known), respondUnknown: answer });
  app.setNotFoundHandler(answer);
}

/** Makes a span of each request that the router answers, named after its route: a URL may hold a token. */

import { getHealth, getMetrics, getReadiness } from '@tapedeck/contract/system';
import type { Span, Tracer } from '@tapedeck/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: it is not traced. */
    span: Span | null;
  }
}

/** Routes that monitors request every few seconds. */
const untraced: ReadonlySet<string | undefined> = new Set([
  getHealth.path,
  getReadiness.path,
  getMetrics.path,
]);

export function traceRequests(app: FastifyInstance, tracer: Tracer | null): void {
  if (tracer === null) return;
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request;
    if (untraced.has(request.routeOptions.url)) return done();
    const span = tracer.begin({ name: method, kind: 'server', headers });
    request.span = span;
    reply.raw.once('close', () => span.end(describeExchange(request, reply)));
    tracer.runIn(span, done);
  });
  // A body that was parsed comes by events of its connection, which know nothing of the request.
  app.addHook('preValidation', ({ span }, _reply, done) => {
    if (span === null) done();
    else tracer.runIn(span, done);
  });
}

function describeExchange({ id, method, project, routeOptions }: FastifyRequest, { raw }: FastifyReply) {
  const status = raw.statusCode;
  const route = routeOptions.url;
  return describeResponse({ method, route, status, requestId: id, project });
}

type Response = {
  method: string;
  /** A pattern; undefined where no route takes the path. */
  route: string | undefined;
  status: number;
  requestId: string;
  /** null where none is known. */
  project: string | null;
};

/** Names and attributes as OpenTelemetry's conventions have them. Only 5xx are failures of a server. */
export function describeResponse({ method, route, status, requestId, project }: Response) {
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'http.response.status_code': status,
      'tapedeck.request_id': requestId,
      ...(project !== null && { 'tapedeck.project': project }),
    },
    hasFailed: status >= 500,
  };
}

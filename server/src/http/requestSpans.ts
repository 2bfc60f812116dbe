/** Makes a span for each request that the router answers. Names it after the route, because a URL may hold a token. */

import { getHealth, getMetrics, getReadiness } from '@tapedeck/contract/system';
import type { Span, Tracer } from '@tapedeck/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: not traced. */
    span: Span | null;
  }
}

/** Routes that monitors call every few seconds. */
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
  // A parsed body arrives in events of its connection, which know nothing of the request.
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
  /** A pattern; undefined: no route takes the path. */
  route: string | undefined;
  status: number;
  requestId: string;
  /** null: unknown. */
  project: string | null;
};

/** Uses the names and attributes of OpenTelemetry's conventions. Only 5xx are server failures. */
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

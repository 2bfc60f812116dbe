/** The metrics for Prometheus: requests by route and status, and the state of the process. */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type NotedRequest, RequestTallies } from './requestTallies.ts';

export type Metrics = {
  contentType: string;
  print(): Promise<string>;
  /** Counts an answered request. `route` is a pattern: a URL may hold a token, and each URL would be a series of its own. */
  note(request: NotedRequest, durationMs: number): void;
  watch(app: FastifyInstance): void;
};

export function makeMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tapedeck_' });
  new Gauge({
    name: 'tapedeck_info',
    help: 'The version that runs.',
    labelNames: ['version'],
    registers: [registry],
  })
    .labels(version)
    .set(1);
  const tallies = new RequestTallies();
  return {
    contentType: registry.contentType,
    print: async () => `${await registry.metrics()}\n${tallies.print()}`,
    note: (request, durationMs) => tallies.note(request, durationMs),
    watch: app => {
      app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
        tallies.note({ method, route: routeOptions.url ?? 'unknown', status: statusCode }, elapsedTime);
        done();
      });
    },
  };
}

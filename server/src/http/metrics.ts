/** What Prometheus is told: requests by route and status, and how the process is doing. */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type NotedRequest, RequestTallies } from './requestTallies.ts';

export type Metrics = {
  contentType: string;
  print(): Promise<string>;
  /** One request that was answered; the route is a pattern, never a URL: that may hold a token, and would be a series of its own. */
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

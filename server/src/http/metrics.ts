/** What Prometheus is told: requests by route and status, and how the process is doing. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  registry: Registry;
  contentType: string;
  print(): Promise<string>;
  watch(app: FastifyInstance): void;
};

/** From a cached read to a slow query; in seconds, as Prometheus wants them. */
const durationBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

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
  const requests = new Counter({
    name: 'tapedeck_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'tapedeck_http_request_duration_seconds',
    help: 'Time to the end of the answer.',
    labelNames: ['route'],
    buckets: durationBuckets,
    registers: [registry],
  });
  return {
    registry,
    contentType: registry.contentType,
    print: () => registry.metrics(),
    watch: app => {
      app.addHook('onResponse', (request, reply, done) => {
        // The route's pattern, never its URL: that may hold a token, and would make a series of its own.
        const route = request.routeOptions.url ?? 'unknown';
        requests.labels(request.method, route, String(reply.statusCode)).inc();
        durations.labels(route).observe(reply.elapsedTime / 1000);
        done();
      });
    },
  };
}

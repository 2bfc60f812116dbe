/** Counts requests, log queries and their durations in plain numbers, which cost a tenth of labelled metrics. */

import type { QueryTime } from '@tapedeck/domain/logs/search/queryTimes';
import type { FastifyInstance } from 'fastify';

type NotedRequest = { method: string; route: string; status: number };

type Series = { name: string; help: string };

const requestCount = { name: 'tapedeck_http_requests_total', help: 'Requests answered.' };
const requestDuration = {
  name: 'tapedeck_http_request_duration_seconds',
  help: 'Time to the end of the answer.',
  /** Upper bounds in seconds, from a cached read to a slow query. */
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
};
const queryDuration = {
  name: 'tapedeck_log_query_duration_seconds',
  help: 'Time until a log query is answered, including time in the queue; for exports, until the first entries.',
  /** From a lookup to the time limit. */
  buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
};
const slowQueryCount = {
  name: 'tapedeck_slow_log_queries_total',
  help: 'Log queries that took longer than TAPEDECK_SLOW_QUERY_SECONDS.',
};

export class RequestCounters {
  readonly #requests = new Counts(requestCount);
  readonly #durations = new Durations(requestDuration);
  readonly #queryDurations = new Durations(queryDuration);
  readonly #slowQueries = new Counts(slowQueryCount);

  /** Counts all answers of the router. Code that bypasses it calls `note` itself. */
  watch(app: FastifyInstance): void {
    app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
      this.note({ method, route: routeOptions.url ?? 'unknown', status: statusCode }, elapsedTime);
      done();
    });
  }

  /** Counts an answered request. `route` is a pattern, because a URL may hold a token and each URL would become its own series. */
  note({ method, route, status }: NotedRequest, durationMs: number): void {
    this.#requests.add(`method="${method}",route="${route}",status="${status}"`);
    this.#durations.add(`method="${method}",route="${route}"`, durationMs / 1000);
  }

  recordQuery({ project, kind, tookMs, isSlow }: QueryTime): void {
    this.#queryDurations.add(`kind="${kind}"`, tookMs / 1000);
    if (isSlow) this.#slowQueries.add(`project="${project}",kind="${kind}"`);
  }

  /** Writes the text format of Prometheus. No label contains a character that needs escaping. */
  print(): string {
    const all = [this.#requests, this.#durations, this.#queryDurations, this.#slowQueries];
    return `${all.map(each => each.print().join('\n')).join('\n\n')}\n`;
  }
}

/** Keeps counts by the text of the labels. */
class Counts {
  readonly #series: Series;
  readonly #counts = new Map<string, number>();

  constructor(series: Series) {
    this.#series = series;
  }

  add(labels: string): void {
    this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
  }

  print(): string[] {
    const lines = [...this.#counts].map(([labels, count]) => `${this.#series.name}{${labels}} ${count}`);
    return [...describe(this.#series, 'counter'), ...lines];
  }
}

type Measured = { countsByBucket: number[]; count: number; sumSeconds: number };

class Durations {
  readonly #series: Series & { buckets: readonly number[] };
  readonly #measured = new Map<string, Measured>();

  constructor(series: Series & { buckets: readonly number[] }) {
    this.#series = series;
  }

  add(labels: string, seconds: number): void {
    const { buckets } = this.#series;
    let measured = this.#measured.get(labels);
    if (measured === undefined) {
      measured = { countsByBucket: buckets.map(() => 0), count: 0, sumSeconds: 0 };
      this.#measured.set(labels, measured);
    }
    measured.count += 1;
    measured.sumSeconds += seconds;
    const bucket = buckets.findIndex(upTo => seconds <= upTo);
    if (bucket >= 0) measured.countsByBucket[bucket]! += 1;
  }

  print(): string[] {
    const lines = [...this.#measured].flatMap(([labels, measured]) => this.#printOne(labels, measured));
    return [...describe(this.#series, 'histogram'), ...lines];
  }

  /** Buckets are cumulative: each counts everything up to its bound, and the last one counts all. */
  #printOne(labels: string, { countsByBucket, count, sumSeconds }: Measured): string[] {
    const { name, buckets } = this.#series;
    let reached = 0;
    const lines = buckets.map((upTo, index) => {
      reached += countsByBucket[index] ?? 0;
      return `${name}_bucket{le="${upTo}",${labels}} ${reached}`;
    });
    return [
      ...lines,
      `${name}_bucket{le="+Inf",${labels}} ${count}`,
      `${name}_sum{${labels}} ${sumSeconds}`,
      `${name}_count{${labels}} ${count}`,
    ];
  }
}

function describe({ name, help }: Series, type: 'counter' | 'histogram'): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

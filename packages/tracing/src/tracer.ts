/** Creates spans and hands them to the exporter once they end. Async calls keep the current span. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ExportReport, SpanExporter } from './exporter.ts';
import { isSampled } from './sampling.ts';
import type { TraceSettings } from './settings.ts';
import type { Attributes, Span, SpanContext, SpanKind } from './span.ts';
import { readTraceContext } from './traceContext.ts';

type Beginning = {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** Headers of the request whose trace the span continues. Without them, the span belongs to the current one. */
  headers?: IncomingHttpHeaders;
  /** A `performance.now()` value, if the span began earlier. */
  startedAt?: number;
  /** The work serves several requests at once, so it begins a separate trace. */
  isShared?: boolean;
};

/** A finished step and its outcome. */
type Step = Pick<Beginning, 'name' | 'kind' | 'attributes' | 'isShared'> & {
  startedAt: number;
  hasFailed?: boolean;
};

const traceIdBytes = 16;
const spanIdBytes = 8;

export class Tracer implements AsyncDisposable {
  readonly #settings: TraceSettings;
  readonly #exporter: SpanExporter;
  readonly #current = new AsyncLocalStorage<SpanContext>();

  constructor(settings: TraceSettings, { version, log }: { version: string; log: ExportReport }) {
    this.#settings = settings;
    this.#exporter = new SpanExporter(settings, { name: 'tapedeck', version }, log);
  }

  begin({
    name,
    kind = 'internal',
    attributes = {},
    headers,
    startedAt = performance.now(),
    isShared = false,
  }: Beginning): Span {
    const sent = headers && this.#settings.continuesTraces ? readTraceContext(headers) : null;
    const parent = sent ?? (isShared ? null : (this.#current.getStore() ?? null));
    const traceId = parent?.traceId ?? randomBytes(traceIdBytes).toString('hex');
    const context: SpanContext = {
      traceId,
      spanId: randomBytes(spanIdBytes).toString('hex'),
      isSampled: isSampled(this.#settings.sampler, traceId, parent),
      traceState: parent?.traceState ?? '',
    };
    if (!context.isSampled) return { context, end() {} };
    let hasEnded = false;
    const begun = { ...context, parentSpanId: parent?.spanId ?? null, kind, startedAtMs: toEpoch(startedAt) };
    return {
      context,
      end: outcome => {
        if (hasEnded) return;
        hasEnded = true;
        this.#exporter.add({
          ...begun,
          name: outcome.name ?? name,
          endedAtMs: toEpoch(performance.now()),
          attributes: { ...attributes, ...outcome.attributes },
          hasFailed: outcome.hasFailed ?? false,
        });
      },
    };
  }

  /** Spans that begin in the work, or in anything that it awaits, become children of this one. */
  runIn<T>({ context }: Span, work: () => T): T {
    return this.#current.run(context, work);
  }

  /** Records a step of the current work that has just ended. */
  note({ hasFailed = false, ...step }: Step): void {
    this.begin(step).end({ hasFailed });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#exporter[Symbol.asyncDispose]();
  }
}

function toEpoch(at: number): number {
  return performance.timeOrigin + at;
}

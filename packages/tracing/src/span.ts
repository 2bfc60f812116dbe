/** Spans: how long a piece of work took, and which piece of work it was part of. */

export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type SpanKind = 'internal' | 'server' | 'client';

/** The identity of a span for its children, wherever it was made. */
export type SpanContext = {
  /** Lower-case hexadecimal digits: 32 of the trace, 16 of the span. */
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** Passed on to the collector unchanged; '' if there is none. */
  traceState: string;
};

export type FinishedSpan = SpanContext & {
  /** null: it begins a trace. */
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  startedAtMs: number;
  endedAtMs: number;
  attributes: Attributes;
  hasFailed: boolean;
};

/** A span that goes on. Of one that is not sampled nothing is kept. */
export type Span = {
  readonly context: SpanContext;
  /** The name is what the work is called, with nothing in it that differs from one time to the next. */
  end(outcome: { name?: string; attributes?: Attributes; hasFailed?: boolean }): void;
};

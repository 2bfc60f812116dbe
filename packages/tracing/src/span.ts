/** A span records how long a piece of work took, and which work it was part of. */

export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type SpanKind = 'internal' | 'server' | 'client';

/** A span's identity for its children, which may be in another service. */
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

/** A span in progress. An unsampled one records nothing. */
export type Span = {
  readonly context: SpanContext;
  /** The name says what the work is, without parts that vary between runs. */
  end(outcome: { name?: string; attributes?: Attributes; hasFailed?: boolean }): void;
};

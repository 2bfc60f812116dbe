/** A tracer, configured by OpenTelemetry's environment variables. */
export { readTraceSettings, type TraceSettings } from './settings.ts';
export type { Attributes, Span, SpanKind } from './span.ts';
export { Tracer } from './tracer.ts';

/** What the package offers: a tracer, and how the usual environment variables set it up. */
export { readTraceSettings, type TraceSettings } from './settings.ts';
export type { Attributes, Span, SpanKind } from './span.ts';
export { Tracer } from './tracer.ts';

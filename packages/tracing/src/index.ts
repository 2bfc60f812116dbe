/** A tracer, configured by OpenTelemetry's environment variables. */
export { readTraceSettings, type TraceSettings } from './settings.ts';
export type { Span } from './span.ts';
export { Tracer } from './tracer.ts';

/** Opens traces where the environment asks for them; elsewhere nothing of them runs. */
import { Tracer, type TraceSettings } from '@tapedeck/tracing';
import type { Logger } from 'pino';
import type { Spans } from './domain/ports/spans.ts';
import { version } from './version.ts';

const noSpans: Spans = { note() {} };

/** `tracer` is null where there are no traces. */
export function openTracing(
  settings: TraceSettings | null,
  { log, opened }: { log: Logger; opened: AsyncDisposableStack },
): { tracer: Tracer | null; spans: Spans } {
  if (settings === null) return { tracer: null, spans: noSpans };
  const tracer = opened.use(new Tracer(settings, { version, log }));
  return { tracer, spans: tracer };
}

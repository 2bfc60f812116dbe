/** Opens traces where the environment asks for them; elsewhere nothing of them runs. */
import { Tracer, type TraceSettings } from '@tapedeck/tracing';
import type { Logger } from 'pino';
import type { Spans } from './domain/ports/spans.ts';
import { version } from './version.ts';

/** Both are null if there are no traces. */
export function openTracing(
  settings: TraceSettings | null,
  { log, opened }: { log: Logger; opened: AsyncDisposableStack },
): { tracer: Tracer | null; spans: Spans | null } {
  if (settings === null) return { tracer: null, spans: null };
  const tracer = opened.use(new Tracer(settings, { version, log }));
  return { tracer, spans: tracer };
}

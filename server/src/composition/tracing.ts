/** Opens tracing if the environment asks for it. Otherwise no tracing code runs. */

import type { Spans } from '@tapedeck/domain/ports/spans';
import { Tracer, type TraceSettings } from '@tapedeck/tracing';
import type { Logger } from 'pino';
import { version } from '../version.ts';

/** Returns null for both if tracing is off. */
export function openTracing(
  settings: TraceSettings | null,
  { log, opened }: { log: Logger; opened: AsyncDisposableStack },
): { tracer: Tracer | null; spans: Spans | null } {
  if (settings === null) return { tracer: null, spans: null };
  const tracer = opened.use(new Tracer(settings, { version, log }));
  return { tracer, spans: tracer };
}

/** Reads the headers of W3C Trace Context from requests. */
import type { IncomingHttpHeaders } from 'node:http';
import type { SpanContext } from './span.ts';

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const invalidVersion = 'ff';
const sampledFlag = 1;
const traceStateCharactersMax = 512; // W3C Trace Context, 3.3.1.5

/** Returns null without a valid `traceparent`. */
export function readTraceContext(headers: IncomingHttpHeaders): SpanContext | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', rest] = form.exec(traceparent.trim()) ?? [];
  if (version === undefined || version === invalidVersion || (version === '00' && rest !== undefined))
    return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  const state = typeof tracestate === 'string' ? tracestate.trim() : '';
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0,
    traceState: state.length <= traceStateCharactersMax ? state : '',
  };
}

/** Parses and composes traceIds. The upper half is the time; the lower half distinguishes entries of equal time. */

type TraceIdHalves = {
  timestampMicros: number;
  /** 16 hexadecimal digits. */
  identity: string;
};

const microsPerMilli = 1000;

/** Parses a traceId; null if no entry can have it. Accepts capitals and the hyphens of a UUID. */
export function parseTraceId(text: string): TraceIdHalves | null {
  const digits = text.toLowerCase().replaceAll('-', '');
  const match = /^([0-9a-f]{12})7([0-9a-f]{3})([0-9a-f]{16})$/.exec(digits);
  if (match === null) return null;
  const [, millis = '', micros = '', identity = ''] = match;
  if (Number.parseInt(micros, 16) >= microsPerMilli) return null;
  return {
    timestampMicros: Number.parseInt(millis, 16) * microsPerMilli + Number.parseInt(micros, 16),
    identity,
  };
}

export function composeTraceId(timestampMicros: number, identity: string): string {
  const millis = Math.floor(timestampMicros / microsPerMilli);
  const micros = timestampMicros - millis * microsPerMilli;
  return `${millis.toString(16).padStart(12, '0')}7${micros.toString(16).padStart(3, '0')}${identity.padStart(16, '0')}`;
}

/** Formats a time as RFC 3339 in UTC with microseconds, as responses show it. */
export function formatMicros(timestampMicros: number): string {
  const millis = Math.floor(timestampMicros / microsPerMilli);
  const micros = String(timestampMicros - millis * microsPerMilli).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${micros}Z`;
}

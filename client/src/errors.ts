/** Turns every failed call into one type of error. */
import type { ErrorCode } from './api.ts';

/** The service's error codes, and codes for failures on the way to it. */
export type ApiErrorCode =
  | ErrorCode
  | 'unreachable'
  | 'unreadable_answer'
  | 'source_unreadable'
  | 'entry_dropped';

export class TapedeckError extends Error {
  /** The HTTP status; 0 if no response came. */
  readonly status: number;
  readonly code: ApiErrorCode;
  /** The seconds in `Retry-After`: a retry may succeed then. */
  readonly retryAfterSeconds: number | null;
  /** The name of the invalid field, with dots for nested ones; null if none. */
  readonly field: string | null;
  /** The position of a query's syntax error in that field, in UTF-16 units from zero; null for other errors. */
  readonly position: number | null;
  /** The index of the invalid entry in a batch, from zero; null if none. */
  readonly index: number | null;

  constructor(
    failure: {
      status: number;
      code: ApiErrorCode;
      retryAfterSeconds?: number | null;
      field?: string | null;
      position?: number | null;
      index?: number | null;
    },
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
    this.name = 'TapedeckError';
    this.status = failure.status;
    this.code = failure.code;
    this.retryAfterSeconds = failure.retryAfterSeconds ?? null;
    this.field = failure.field ?? null;
    this.position = failure.position ?? null;
    this.index = failure.index ?? null;
  }
}

/** Reads the error from a failed response. A proxy may send a different body than the service. */
export async function readError(response: Response): Promise<TapedeckError> {
  const { status } = response;
  const retryAfterSeconds = readRetryAfter(response.headers.get('Retry-After'));
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) {
    // The contract lists the codes. A newer service may send others; callers treat those as unknown.
    const code = body.code as ErrorCode;
    const field = typeof body.field === 'string' ? body.field : null;
    const position = typeof body.position === 'number' ? body.position : null;
    const index = typeof body.index === 'number' ? body.index : null;
    return new TapedeckError({ status, code, retryAfterSeconds, field, position, index }, body.error);
  }
  const sentence = `The server responded with ${status} and gave no reason. That may come from a proxy in front of the service: check its log.`;
  return new TapedeckError({ status, code: 'unreadable_answer', retryAfterSeconds }, sentence);
}

/** HTTP allows seconds or a date. */
function readRetryAfter(text: string | null): number | null {
  if (text === null) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function isErrorBody(
  body: unknown,
): body is { error: string; code: string; field?: unknown; position?: unknown; index?: unknown } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  );
}

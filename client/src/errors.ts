/** Whatever goes wrong with a call becomes one kind of error. */
import type { ErrorCode } from '../../server/src/vocabulary.ts';

/** The codes of the service, and two for when it did not get to say one. */
export type ApiErrorCode = ErrorCode | 'unreachable' | 'unreadable_answer';

export class ApiError extends Error {
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly code: ApiErrorCode;
  /** From `Retry-After`: a repeat may succeed then. */
  readonly retryAfterSeconds: number | null;
  /** The one field that is wrong, nested ones with dots; null where there is none. */
  readonly field: string | null;
  /** Where in that field a query is wrong, in UTF-16 units from zero; null where nothing of the kind is. */
  readonly position: number | null;

  constructor(
    failure: {
      status: number;
      code: ApiErrorCode;
      retryAfterSeconds?: number | null;
      field?: string | null;
      position?: number | null;
    },
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
    this.name = 'ApiError';
    this.status = failure.status;
    this.code = failure.code;
    this.retryAfterSeconds = failure.retryAfterSeconds ?? null;
    this.field = failure.field ?? null;
    this.position = failure.position ?? null;
  }
}

/** What a refused answer says. A proxy in between may answer something else than the service would. */
export async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  const retryAfterSeconds = Number.isNaN(seconds) ? null : seconds;
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) {
    // The list of codes is the contract's; a newer service may know more, which callers treat as any other.
    const code = body.code as ErrorCode;
    const field = typeof body.field === 'string' ? body.field : null;
    const position = typeof body.position === 'number' ? body.position : null;
    return new ApiError({ status, code, retryAfterSeconds, field, position }, body.error);
  }
  const sentence = `The service answered ${status} without saying why; look at what stands between it and you.`;
  return new ApiError({ status, code: 'unreadable_answer', retryAfterSeconds }, sentence);
}

function isErrorBody(
  body: unknown,
): body is { error: string; code: string; field?: unknown; position?: unknown } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof body.error === 'string' &&
    'code' in body &&
    typeof body.code === 'string'
  );
}

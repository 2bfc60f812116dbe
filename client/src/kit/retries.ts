/** Sends one attempt with a timeout, and pauses between retries. */
import { readError, TapedeckError } from '../errors.ts';

export type Patience = {
  /** How long to retry a failed request. */
  retryForMs: number;
  /** How long an attempt may be silent. */
  requestTimeoutMs: number;
};

const pauseMsMin = 500; // CONTRACT.md, 12.1
const pauseMsMax = 30_000;
const slowestBytesPerMs = 16; // the service ends slower bodies: CONTRACT.md, 14
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** `Retry-After` overrides the doubling pauses. */
export function pauseAfter(error: TapedeckError, failures: number): number {
  if (error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1000;
  return Math.min(pauseMsMin * 2 ** failures, pauseMsMax);
}

/** True for temporary failures: no response, too many requests, and errors inside the service. */
export function isPassing({ status }: TapedeckError): boolean {
  return status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Resolves after the time, or earlier on abort. */
export function rest(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise(resolve => void startRest(ms, signal, resolve));
}

/** Like `rest`, but does not keep an idle program alive. */
export function restQuietly(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => unrefTimer(startRest(ms, signal, resolve)));
}

type Timer = ReturnType<typeof setTimeout>;

function startRest(ms: number, signal: AbortSignal | null | undefined, resolve: () => void): Timer {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  return timer;
}

/** Browser timers are numbers and keep nothing alive. */
export function unrefTimer(timer: Timer): void {
  if (typeof timer === 'object') timer.unref();
}

/** Retries temporary failures of the work until time runs out. */
export async function persist<T>(
  work: () => Promise<T>,
  { retryForMs, signal }: { retryForMs: number; signal?: AbortSignal | undefined },
  mayRepeat: (error: TapedeckError) => boolean = isPassing,
): Promise<T> {
  const until = Date.now() + retryForMs;
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      requireRunning(signal);
      if (!(error instanceof TapedeckError) || !mayRepeat(error)) throw error;
      const pauseMs = pauseAfter(error, failures);
      if (Date.now() + pauseMs > until) throw error;
      await rest(pauseMs, signal);
      requireRunning(signal);
    }
  }
}

/** Throws an `AbortError` on abort, whatever the signal's reason. */
export function requireRunning(signal: AbortSignal | undefined | null): void {
  if (!signal?.aborted) return;
  const { reason } = signal;
  if (reason instanceof Error && reason.name === 'AbortError') throw reason;
  throw new DOMException('The upload was aborted.', 'AbortError');
}

/** Calls `fetch` with a timeout. Rejects with a `TapedeckError` if no complete response comes. */
export async function attempt(url: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), timeoutMs + sizeOf(init.body) / slowestBytesPerMs);
  const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
  const renew = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), timeoutMs);
  };
  try {
    return await readWhole(await fetch(url, { ...init, signal }), renew);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw unreachableError(cause);
  } finally {
    clearTimeout(timer);
  }
}

export function unreachableError(cause: unknown): TapedeckError {
  const sentence = 'The service cannot be reached; check the address and the connection.';
  return new TapedeckError({ status: 0, code: 'unreachable' }, sentence, { cause });
}

/** Rejects with the service's error. */
export async function requireOk(response: Response): Promise<Response> {
  if (!response.ok) throw await readError(response);
  return response;
}

/** For typed calls: retries the ones that are safe to repeat. */
export function makePatientFetch({ retryForMs, requestTimeoutMs }: Patience): typeof fetch {
  return async (input, init = {}) => {
    const isSafe = safeMethods.has(init.method ?? 'GET');
    const mayRepeat = (error: TapedeckError) =>
      isSafe ? isPassing(error) : error.status === 429 || error.status === 503;
    let response: Response | null = null;
    const work = async () => {
      response = null;
      response = await attempt(String(input), init, requestTimeoutMs);
      const { status } = response;
      if (response.ok || !mayRepeat(new TapedeckError({ status, code: 'unreadable_answer' }, '')))
        return response;
      throw await readError(response.clone());
    };
    try {
      return await persist(work, { retryForMs, signal: init.signal ?? undefined }, mayRepeat);
    } catch (error) {
      if (response !== null) return response;
      throw error;
    }
  };
}

/** Reads the body, so that no response is cut off. An event stream has no end to wait for. */
async function readWhole(response: Response, renew: () => void): Promise<Response> {
  renew();
  const type = response.headers.get('Content-Type') ?? '';
  if (response.body === null || type.startsWith('text/event-stream')) return response;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    renew();
  }
  const { status, statusText, headers } = response;
  return new Response(parts.length === 0 ? null : new Blob(parts), { status, statusText, headers });
}

function sizeOf(body: unknown): number {
  if (typeof body === 'string') return body.length;
  if (body instanceof Blob) return body.size;
  if (body instanceof Uint8Array) return body.byteLength;
  if (!(body instanceof FormData)) return 0;
  let bytes = 0;
  for (const [, value] of body) bytes += typeof value === 'string' ? value.length : value.size;
  return bytes;
}

/** Log entries that come one by one: those of an export, and those that arrive, told on after every break. */
import type { Answer, CallOptions, Input } from './api.ts';
import { type ClientSettings, openAnswer } from './client.ts';
import { TapedeckError } from './errors.ts';

export type ExportedEntry = Answer<'getLog'>['data'];

const silenceMsMax = 45_000; // the service shows every 15 s that it is there
const pauseMsMin = 1_000; // the pause that the service asks of browsers
const pauseMsMax = 15_000;

/** Every match, in the order asked for. Where the answer breaks off, as it does on readers that pause for minutes, it goes on. */
export async function* exportEntries(
  settings: ClientSettings,
  input: Input<'exportLogs'> & CallOptions,
): AsyncGenerator<ExportedEntry> {
  let last: ExportedEntry | null = null;
  let query = input.query;
  for (let isAgain = false; ; isAgain = true) {
    const begun: ExportedEntry | null = last;
    try {
      const response = await openAnswer(settings, 'exportLogs', { ...input, ...(query && { query }) });
      let isSkipping = begun !== null; // skips entries with the time of the last one, up to that one
      for await (const line of readParts(response, '\n', input)) {
        // The contract says what a line of an export is.
        const entry = JSON.parse(line) as ExportedEntry;
        const isLast: boolean = isSkipping && entry.timestamp === begun?.timestamp;
        isSkipping = isLast && entry.traceId !== begun?.traceId;
        if (isLast) continue;
        last = entry;
        yield entry;
      }
      return;
    } catch (error) {
      const isProgress = last !== begun || !isAgain;
      if (!(error instanceof TapedeckError) || error.code !== 'unreadable_answer' || !last || !isProgress)
        throw error;
      query = { ...input.query, [query?.order === 'asc' ? 'from' : 'to']: last.timestamp };
    }
  }
}

/** `following`: new entries are delivered from now on. `broken`: it is tried again, and nothing is lost by then. */
export type Followed =
  | { kind: 'following' }
  | { kind: 'entry'; entry: ExportedEntry }
  | { kind: 'broken'; error: TapedeckError };

/**
 * Ends with the signal alone, without an error. Rejects with an `TapedeckError` where the first try fails, and later where
 * another try cannot help, such as with a token that was revoked.
 */
export async function* followEntries(
  settings: ClientSettings,
  input: Input<'tailLogs'> & { signal: AbortSignal },
): AsyncGenerator<Followed> {
  const { signal } = input;
  let lastId: string | null = null;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const { id, data } of readEvents(settings, input, lastId)) {
        const isBeginning = lastId === null || failures > 0;
        lastId = id ?? lastId;
        if (lastId === null) continue; // before it, there is no place to go on from
        if (isBeginning) yield { kind: 'following' };
        failures = 0;
        // The contract says what the tail tells.
        if (data !== null) yield { kind: 'entry', entry: JSON.parse(data) as ExportedEntry };
      }
      if (signal.aborted) return;
      throw describeBreak();
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof TapedeckError ? cause : describeBreak(cause);
      if (lastId === null || !mayPass(error)) throw error;
      if (failures === 0) yield { kind: 'broken', error };
      await pause(error.retryAfterSeconds ?? Math.min(pauseMsMin * 2 ** failures, pauseMsMax) / 1000, signal);
      failures++;
    }
  }
}

type TailEvent = { id: string | null; data: string | null };

async function* readEvents(
  settings: ClientSettings,
  { query, signal }: Input<'tailLogs'> & { signal: AbortSignal },
  lastId: string | null,
): AsyncGenerator<TailEvent> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const headers = lastId === null ? {} : { 'Last-Event-ID': lastId };
  const onSilence = () => silence.abort();
  const response = await openAnswer(settings, 'tailLogs', {
    ...(query && { query }),
    signal: either,
    headers,
  });
  for await (const block of readParts(response, '\n\n', { signal: either, onSilence })) {
    const fields = new Map(block.split('\n').map(line => [line.split(':')[0], line.replace(/^\w*: ?/, '')]));
    yield { id: fields.get('id') ?? null, data: fields.get('data') ?? null };
  }
}

/** Yields the text before each separator. Text after the last one is dropped, because it broke off. */
async function* readParts(
  { body }: Response,
  separator: string,
  { signal, onSilence }: CallOptions & { onSilence?: () => void },
): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    while (reader !== undefined) {
      const timer = onSilence && setTimeout(onSilence, silenceMsMax);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const parts = (rest + value).split(separator);
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } catch (cause) {
    throw signal?.aborted ? signal.reason : describeBreak(cause);
  } finally {
    void reader?.cancel().catch(() => undefined); // nobody reads on
  }
}

function describeBreak(cause?: unknown): TapedeckError {
  const sentence = 'The answer of the service broke off; try again.';
  return new TapedeckError({ status: 0, code: 'unreadable_answer' }, sentence, { cause });
}

/** Whether the same question may be answered later. */
function mayPass({ status }: TapedeckError): boolean {
  return status < 400 || status === 408 || status === 429 || status >= 500;
}

/** Resolves at the end of the time, or with the signal. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  const leave = () => resolve();
  signal.addEventListener('abort', leave);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  });
}

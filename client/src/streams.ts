/** Streams log entries from an export or a live tail, and resumes after every break. */
import type { Answer, CallOptions, Input } from './api.ts';
import { type ClientSettings, openAnswer } from './client.ts';
import { TapedeckError } from './errors.ts';
import { rest } from './kit/retries.ts';

export type ExportedEntry = Answer<'getLog'>['data'];

const silenceMsMax = 45_000; // the service sends a heartbeat every 15 s
const pauseMsMin = 1_000; // the pause the service asks of browsers
const pauseMsMax = 15_000;

/** Yields every match in the requested order. Resumes a broken response, which happens to readers that pause for minutes. */
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
      let isSkipping = begun !== null; // skips entries with the last one's timestamp, up to the last one itself
      for await (const line of readParts(response, '\n', input)) {
        // The contract defines the lines of an export.
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

/** `following`: new entries arrive from now on. `broken`: the client reconnects, and no entry is lost. */
export type Followed =
  | { kind: 'following' }
  | { kind: 'entry'; entry: ExportedEntry }
  | { kind: 'broken'; error: TapedeckError };

/**
 * Ends only on abort, without an error. Rejects with a `TapedeckError` if the first try fails, and later if a retry cannot help, such as after the
 * token was revoked.
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
        if (lastId === null) continue; // no event id to resume from yet
        if (isBeginning) yield { kind: 'following' };
        failures = 0;
        // The contract defines the events of the tail.
        if (data !== null) yield { kind: 'entry', entry: JSON.parse(data) as ExportedEntry };
      }
      if (signal.aborted) return;
      throw describeBreak();
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof TapedeckError ? cause : describeBreak(cause);
      if (lastId === null || !mayPass(error)) throw error;
      if (failures === 0) yield { kind: 'broken', error };
      const doubledMs = Math.min(pauseMsMin * 2 ** failures, pauseMsMax);
      await rest(error.retryAfterSeconds === null ? doubledMs : error.retryAfterSeconds * 1000, signal);
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

/** Yields the text before each separator. Drops text after the last one, because it is incomplete. */
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
    void reader?.cancel().catch(() => undefined); // the caller stopped reading
  }
}

function describeBreak(cause?: unknown): TapedeckError {
  const sentence = 'The response of the service was cut off; try again.';
  return new TapedeckError({ status: 0, code: 'unreadable_answer' }, sentence, { cause });
}

/** True if a retry may succeed. */
function mayPass({ status }: TapedeckError): boolean {
  return status < 400 || status === 408 || status === 429 || status >= 500;
}

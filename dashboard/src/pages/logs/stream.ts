/**
 * Streams entries, and reconnects where it broke off. The browser's EventSource gives up after an error response, and holds its connection in hidden
 * tabs: browsers open six to a service over HTTP/1.1, for all tabs together.
 */
import { rest } from '@tapedeck/client';
import type { LogEntry } from '../../queries/logs.ts';

export type StreamState = 'connecting' | 'following' | 'refused';

type StreamEvents = {
  /** `isResumed`: nothing was missed since the last connection. `words`: why the service refused. */
  onState: (state: StreamState, about: { isResumed: boolean; words: string }) => void;
  /** Called in order of arrival. */
  onEntry: (entry: LogEntry) => void;
};

const trialMs = { first: 1_000, most: 15_000 };

/** Returns a function that ends the stream. */
export function openStream(address: string, events: StreamEvents): () => void {
  const leaving = new AbortController();
  void keepFollowing(address, events, leaving.signal);
  return () => leaving.abort();
}

async function keepFollowing(address: string, events: StreamEvents, signal: AbortSignal): Promise<void> {
  let lastId = '';
  for (let trials = 0; !signal.aborted; trials++) {
    await waitUntilShown(signal);
    if (signal.aborted) return;
    const connection = openUntilHidden();
    const isResumed = lastId !== '';
    events.onState('connecting', { isResumed, words: '' });
    const headers = isResumed ? { 'Last-Event-ID': lastId } : undefined;
    const ends = AbortSignal.any([signal, connection.signal]);
    const response = await fetch(address, { signal: ends, ...(headers && { headers }) }).catch(() => null);
    if (signal.aborted) return;
    if (response?.ok && response.body) {
      trials = 0;
      events.onState('following', { isResumed, words: '' });
      lastId = await readEvents(response.body, events.onEntry, lastId);
    } else if (response && response.status < 500 && response.status !== 429) {
      return events.onState('refused', { isResumed, words: await readSentence(response) });
    }
    const wasHidden = connection.signal.aborted;
    connection.abort(); // so that nothing listens for a connection that is gone
    if (wasHidden) {
      trials = -1;
      continue;
    }
    const retryAfterMs = 1000 * Number.parseInt(response?.headers.get('Retry-After') ?? '0', 10);
    await rest(Math.max(Math.min(trialMs.first * 2 ** trials, trialMs.most), retryAfterMs || 0), signal);
  }
}

async function waitUntilShown(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

function openUntilHidden(): AbortController {
  const connection = new AbortController();
  document.addEventListener('visibilitychange', () => connection.abort(), { signal: connection.signal });
  return connection;
}

/** Resolves with the last entry's id when the stream ends. */
async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEntry: StreamEvents['onEntry'],
  idBefore: string,
): Promise<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let lastId = idBefore;
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    if (done) return lastId;
    const events = (rest + (value ?? '')).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId;
      // The contract defines this shape.
      onEntry(JSON.parse(data) as LogEntry);
    }
  }
}

async function readSentence(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const isError = typeof body === 'object' && body !== null && 'error' in body;
  return isError && typeof body.error === 'string'
    ? body.error
    : `The service responded with status ${response.status}.`;
}

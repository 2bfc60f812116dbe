/** Streams every matching entry. Errors of the store surface before the first line is written. */
import type { LogEntry, LogFilter, LogOrder } from '../../ports/logQueries.ts';
import type { LogSearchDeps } from './question.ts';

/**
 * Resolves once the first entries are there, or rejects. When the signal aborts, also before anything was taken, the work
 * in the store is ended.
 */
export async function openExport(
  { logQueries }: Pick<LogSearchDeps, 'logQueries'>,
  { filter, order }: { filter: LogFilter; order: LogOrder },
  signal: AbortSignal,
): Promise<AsyncIterable<LogEntry[]>> {
  const batches = logQueries.streamEntries(filter, { order, after: null }, signal);
  const iterator = batches[Symbol.asyncIterator]();
  const end = () => void iterator.return?.().catch(() => undefined); // it fails as the reading itself does
  signal.addEventListener('abort', end, { once: true });
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      end();
    }
  })();
}

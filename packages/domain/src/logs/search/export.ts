/** Streams every matching entry. Store errors surface before the first line is written. */
import type { LogEntry, LogFilter, LogOrder } from '../../ports/logQueries.ts';
import type { LogSearchDeps } from './searchFilter.ts';

/** Resolves once the first entries are available, or rejects. An abort stops the work in the store, even before the first read. */
export async function openExport(
  { logQueries }: Pick<LogSearchDeps, 'logQueries'>,
  { filter, order }: { filter: LogFilter; order: LogOrder },
  signal: AbortSignal,
): Promise<AsyncIterable<LogEntry[]>> {
  const batches = logQueries.streamEntries(filter, { order, after: null }, signal);
  const iterator = batches[Symbol.asyncIterator]();
  const end = () => void iterator.return?.().catch(() => undefined); // it fails like the read itself
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

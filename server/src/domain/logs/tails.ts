/** Hands newly acknowledged entries to those who follow, each by its own filter. Costs nothing when nobody does. */
import { ServiceError } from '../../vocabulary.ts';
import type { LogEntry, LogFilter } from '../ports/logQueries.ts';
import type { AcknowledgedRows, LogIntake } from '../ports/logs.ts';
import { JudgedEntry, matchesFilter } from './queryMatching.ts';

export type TailListener = {
  filter: LogFilter;
  /** In the order of acknowledgement; never empty. */
  onEntries(entries: readonly LogEntry[]): void;
  /** The service is stopping. */
  onClose(): void;
};

export type LogTails = Disposable & { follow(listener: TailListener): () => void };

const listenersMax = 1_000; // each judges every entry; see bench/RESULTS.md

export function openLogTails(intake: Pick<LogIntake, 'subscribe'>): LogTails {
  const listeners = new Set<TailListener>();
  let unsubscribe: (() => void) | null = null;
  return {
    follow: listener => {
      if (listeners.size >= listenersMax) {
        throw new ServiceError(
          'overloaded',
          `No more than ${listenersMax} can follow at once; try again later.`,
          {
            retryAfterSeconds: 30,
          },
        );
      }
      listeners.add(listener);
      unsubscribe ??= intake.subscribe(rows => hand(listeners, rows));
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = null;
      };
    },
    [Symbol.dispose]: () => {
      for (const { onClose } of [...listeners]) onClose();
    },
  };
}

function hand(listeners: ReadonlySet<TailListener>, acknowledged: AcknowledgedRows): void {
  const found = new Map<TailListener, LogEntry[]>();
  for (const row of acknowledged.decode()) {
    const { traceId, parentId, timestampMicros, level, resource, message: body, metadata } = row;
    const entry: LogEntry = { traceId, parentId, timestampMicros, level, resource, body, metadata };
    const judged = new JudgedEntry(entry, row);
    for (const listener of listeners) {
      if (!matchesFilter(judged, listener.filter)) continue;
      const entries = found.get(listener);
      if (entries === undefined) found.set(listener, [entry]);
      else entries.push(entry);
    }
  }
  for (const [listener, entries] of found) listener.onEntries(entries);
}

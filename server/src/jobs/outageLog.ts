/** Logs the outage of a store once, not once for each failure it causes. */

import type { StoreChange, StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import { Failure } from '@tapedeck/values/failure';
import type { Logger } from 'pino';

export type OutageLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Drops warnings of expected failures while a store that the watch has reported is away. */
export function openOutageLog(log: Logger, watch: Pick<StoreHealth, 'explainsFailures'>): OutageLog {
  const warn = (facts: { err?: unknown }, sentence: string) => {
    if (!isExpected(facts.err)) return log.warn(facts, sentence);
    void watch.explainsFailures().then(isExplained => isExplained || log.warn(facts, sentence));
  };
  return {
    info: log.info.bind(log),
    error: log.error.bind(log),
    warn: warn as Logger['warn'], // its other signatures are unused here
  };
}

/** An AggregateError holds the failures of several steps of one job. */
function isExpected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isExpected);
  return error instanceof Failure;
}

/** Logs one line when a store goes away and one when it is back. */
export function logStoreChange(
  log: Logger,
  { name: store, reason, unavailableMs, error: err }: StoreChange,
): void {
  if (reason === null) log.info({ store, awayMs: unavailableMs }, 'the store is back');
  else log.warn({ store, reason, err }, 'a store is unavailable; the service does what it can without it');
}

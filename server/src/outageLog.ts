/** Logs the outage of a store once, rather than once for each failure it causes. */
import { Failure } from '@tapedeck/values/failure';
import type { Logger } from 'pino';
import type { StoreChange, StoreHealth } from './domain/operations/storeHealth.ts';

export type OutageLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** Warnings of expected failures are left out where the watch has told of a store that is away. */
export function openOutageLog(log: Logger, watch: Pick<StoreHealth, 'explainsFailures'>): OutageLog {
  const warn = (facts: { err?: unknown }, sentence: string) => {
    if (!isExpected(facts.err)) return log.warn(facts, sentence);
    void watch.explainsFailures().then(isExplained => isExplained || log.warn(facts, sentence));
  };
  return {
    info: log.info.bind(log),
    error: log.error.bind(log),
    warn: warn as Logger['warn'], // nobody here uses its other forms
  };
}

/** Several steps of one job may have failed for the same reason. */
function isExpected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isExpected);
  return error instanceof Failure;
}

/** One line when a store goes, and one when it is back. */
export function logStoreChange(log: Logger, { name: store, reason, awayMs, error: err }: StoreChange): void {
  if (reason === null) log.info({ store, awayMs }, 'the store is back');
  else log.warn({ store, reason, err }, 'a store is away; what can be done without it goes on');
}

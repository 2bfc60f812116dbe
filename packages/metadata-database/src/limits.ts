/** Limits that both dialects share. */
export const databaseLimits = {
  transactionMsMax: 5_000, // far above any legitimate change; other transactions wait for this one
  lockWaitMsMax: 10_000, // twice the longest transaction of another process
  migrationMsMax: 3_600_000, // a migration may rewrite the largest table
  importMsMax: 3_600_000, // an import fills an empty database before the service starts
  waitingTransactionsMax: 10_000, // more than a second's worth; further calls get `overloaded`
} as const;

/** Limits that callers can set when they open a database, mainly for tests. */
export type ChosenLimits = { transactionMsMax?: number; lockWaitMsMax?: number };

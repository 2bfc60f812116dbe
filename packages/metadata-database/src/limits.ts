/** The limits of connections in both dialects. */
export const databaseLimits = {
  transactionMsMax: 5_000, // far beyond any honest change; others wait for it
  lockWaitMsMax: 10_000, // twice the longest transaction of another process
  migrationMsMax: 3_600_000, // one may rewrite the largest table there is
  importMsMax: 3_600_000, // an empty database is filled before it serves anyone
  waitingTransactionsMax: 10_000, // a second's worth and more; beyond it the answer is `overloaded`
} as const;

/** Limits that the opener of a database may choose, mainly for tests. */
export type ChosenLimits = { transactionMsMax?: number; lockWaitMsMax?: number };

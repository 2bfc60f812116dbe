/** Measured costs of one entry, one segment and one file. Every figure of docs/scaling.md derives from them. */

/** Microseconds of one core per entry, in requests of 100 entries of about 250 bytes. */
export const entryCosts = {
  /** bench/RESULTS.md, log-journals: the service with its journal in a bucket. */
  serviceMicros: 8.9,
  /** bench/RESULTS.md, log-intake and "what patterns and kept counts cost": ClickHouse with the merges that follow. */
  engineMicros: 9.2,
  /** bench/RESULTS.md, log-disk: JSON as sent. */
  sentBytes: 250,
  /** bench/RESULTS.md, scaling-costs: the size of an object in the bucket divided by its entries. */
  segmentBytes: 240,
  /** bench/RESULTS.md, log-disk and log-queries: at rest, between entries that compress well and badly. */
  restBytes: 50,
  /** Merged parts stay for eight minutes, and merges need free space: twice the size at rest. */
  roomFactor: 2,
} as const;

/** Costs of a segment of log entries in the bucket. bench/RESULTS.md, scaling-costs. */
export const segmentCosts = {
  gatherMs: 100, // the log store's own value
  fullBytes: 8 * 1024 * 1024,
  groupBytesMax: 32 * 1024 * 1024,
  underWayMax: 4,
  /** Median and 99th percentile, for an object of 1 MiB and the row that registers it. */
  putMs: { median: 42, p99: 320 },
  rowMs: { median: 4, p99: 16 },
  /** For the object: a put and a removal. A read if another node imports it. */
  requestsEach: 2,
  /** Registry rows written: registered, bound, ended, removed. */
  rowWritesEach: 4,
} as const;

/** Costs of an import into a shard: its number of entries, and the overhead. */
export const importCosts = {
  rowsMax: 200_000, // the log store's own value
  /** Reading eight segments at once, two transactions, and the shard's answer. */
  besideMs: 60,
} as const;

export const fileCosts = {
  /** bench/RESULTS.md, files: an upload of 100 KB. */
  uploadMicros: 1_050,
  /** A read of 20 KB from memory. */
  readMicros: 22,
  /** bench/RESULTS.md, scaling-costs: its rows and their indexes in PostgreSQL. */
  rowBytes: 1_200,
  /** Files per page of the bucket's listing, which the daily sweep reads. */
  listedAtOnce: 1_000,
  listMs: 50,
} as const;

/** Machines to plan for: small ones at low rates, so that there are still two of each. */
export const machines = [
  { entriesBelow: 10_000, nodes: 1, nodeCores: 2, shards: 1, shardCores: 2 },
  { entriesBelow: 1_000_000, nodes: 2, nodeCores: 2, shards: 2, shardCores: 4 },
  { entriesBelow: Number.POSITIVE_INFINITY, nodes: 3, nodeCores: 16, shards: 3, shardCores: 16 },
] as const;

export const planning = {
  /** Share of all cores: the other machines take over a lost one's load, and queries need some, too. */
  useMax: 0.5,
  databaseConnections: 6, // per node, at most
  retainedDays: 30,
} as const;

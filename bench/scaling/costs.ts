/** Measured costs of one entry, one segment and one file. Every figure of docs/scaling.md is computed from them. */

/** Microseconds of one core for each entry, requests of 100 entries of some 250 bytes. */
export const entryCosts = {
  /** bench/RESULTS.md, log-journals: the service with its journal in a bucket. */
  serviceMicros: 8.9,
  /** bench/RESULTS.md, log-intake and "what patterns and kept counts cost": ClickHouse with the merges that follow. */
  engineMicros: 9.2,
  /** bench/RESULTS.md, log-disk: JSON as it is sent. */
  sentBytes: 250,
  /** bench/RESULTS.md, scaling-costs: an object in the bucket, divided by its entries. */
  segmentBytes: 240,
  /** bench/RESULTS.md, log-disk and log-queries: at rest, between entries that compress well and badly. */
  restBytes: 50,
  /** Parts that were merged lie beside the merged ones for eight minutes, and merges write into free room: twice what rests. */
  roomFactor: 2,
} as const;

/** Costs of a segment of log entries in the bucket. bench/RESULTS.md, scaling-costs. */
export const segmentCosts = {
  gatherMs: 100, // as the log store has it
  fullBytes: 8 * 1024 * 1024,
  groupBytesMax: 32 * 1024 * 1024,
  underWayMax: 4,
  /** Median and slowest of a hundred, an object of 1 MiB and the row that registers it. */
  putMs: { median: 42, p99: 320 },
  rowMs: { median: 4, p99: 16 },
  /** The object: put, and removed; read where another node imports it than the one that made it. */
  requestsEach: 2,
  /** Rows of the registry that are written: registered, bound, ended, removed. */
  rowWritesEach: 4,
} as const;

/** Costs of an import into a shard: how many entries it takes, and its own work besides theirs. */
export const importCosts = {
  rowsMax: 200_000, // as the log store has it
  /** Eight segments read at once, two transactions, and the answer of the shard. */
  besideMs: 60,
} as const;

/** Costs of a file. */
export const fileCosts = {
  /** bench/RESULTS.md, files: an upload of 100 KB. */
  uploadMicros: 1_050,
  /** A reading of 20 KB from memory. */
  readMicros: 22,
  /** bench/RESULTS.md, scaling-costs: its rows and their indexes in PostgreSQL. */
  rowBytes: 1_200,
  /** Pages of the bucket's listing, which the daily sweep reads. */
  listedAtOnce: 1_000,
  listMs: 50,
} as const;

/** Machines that are planned for: small ones while little comes in, so that there are two of each all the same. */
export const machines = [
  { entriesBelow: 10_000, nodes: 1, nodeCores: 2, shards: 1, shardCores: 2 },
  { entriesBelow: 1_000_000, nodes: 2, nodeCores: 2, shards: 2, shardCores: 4 },
  { entriesBelow: Number.POSITIVE_INFINITY, nodes: 3, nodeCores: 16, shards: 3, shardCores: 16 },
] as const;

export const planning = {
  /** Share of all cores: a lost machine leaves its part to the others, and queries need some, too. */
  useMax: 0.5,
  databaseConnections: 6, // a node's, at most
  retainedDays: 30,
} as const;

/** Rows about log entries in transit: used keys, deletions, and segments in the bucket. */

/** `dataset` is '' where all of the project went. */
export type LogDeletionRow = { project: string; dataset: string; deleted_at: number };

/** Hashes and traceIds as hex digits. */
export type KeyClaimRow = {
  scope_hash: string;
  body_hash: string;
  node_id: string;
  attempt_id: string;
  trace_id: string | null;
  expires_at: number;
};

export type LogSegmentRow = {
  name: string;
  shard: string;
  entries: number;
  bytes: number;
  is_spread: 0 | 1;
  is_wanted: 0 | 1;
  state: 'waiting' | 'importing' | 'done' | 'damaged';
  import: string | null;
  /** By the clock of the shard. */
  import_until: number | null;
  registered_at: number;
  ended_at: number | null;
};

/** A node that takes entries in. Times are the database's. */
export type JournalWriterRow = {
  id: string;
  leased_until: number;
  /** Of its notes in the bucket, how many were taken over. */
  notes: number;
};

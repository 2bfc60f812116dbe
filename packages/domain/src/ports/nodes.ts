/** Port to the records of nodes that share the database. */
export type NodeRecord = {
  /** Unique, and the same after a restart. */
  name: string;
  version: string;
  /** The holder's name in its leases, from its start to its end. */
  runId: string;
  /** Identifies it in claims on Idempotency-Keys and in imports of segments from the bucket. */
  journalId: string;
  startedAt: number;
  seenAt: number;
  /** null: it is running, or crashed. */
  stoppedAt: number | null;
  /** Acknowledged entries that waited on its disk when it was last seen. */
  waitingEntries: number;
};

export interface NodeRecords {
  /** Inserts or replaces the record of this name. */
  put(node: NodeRecord): Promise<void>;
  /** Lists nodes by name. */
  list(): Promise<NodeRecord[]>;
  remove(name: string): Promise<void>;
  /** Removes nodes that stopped cleanly before that time and hold no unfinished work. */
  removeStopped(before: number): Promise<void>;
  /** Frees the node's leases and claims, and returns how many there were. */
  free(node: Pick<NodeRecord, 'runId' | 'journalId'>): Promise<{ leases: number; claims: number }>;
}

/** Port to the records of nodes that share the database. */
export type NodeRecord = {
  /** Unique, and the same after a restart. */
  name: string;
  version: string;
  /** Under which it holds leases, from its start to its end. */
  runId: string;
  /** Under which it claims Idempotency-Keys, and imports what waits in the bucket. */
  journalId: string;
  startedAt: number;
  seenAt: number;
  /** null: it runs, or has ended without a word. */
  stoppedAt: number | null;
  /** Entries that were acknowledged and waited on its own disk when it was last seen. */
  waitingEntries: number;
};

export interface NodeRecords {
  /** Takes the place of what was known under the name. */
  put(node: NodeRecord): Promise<void>;
  /** Lists nodes by name. */
  list(): Promise<NodeRecord[]>;
  remove(name: string): Promise<void>;
  /** Removes nodes that stopped cleanly before that time and have nothing left to do. */
  removeStopped(before: number): Promise<void>;
  /** Frees everything that the node holds, and returns how much it was. */
  free(node: Pick<NodeRecord, 'runId' | 'journalId'>): Promise<{ leases: number; claims: number }>;
}

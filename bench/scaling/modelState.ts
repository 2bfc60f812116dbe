/** State shared by all parts of the model: the cluster, its outages, the time, and the waiting work. */

export type Outage = {
  what: 'bucket' | 'database' | 'shard' | 'node';
  /** The numbers of shards or nodes; all if absent. */
  which?: readonly number[];
  fromMs: number;
  toMs: number;
};

export type Cluster = {
  seed: number;
  nodes: number;
  shards: number;
  entriesPerSecond: number;
  /** Inserts and merges of one shard. */
  shardEntriesPerSecond: number;
  /** Entries arrive for this long; then the model continues until none waits. */
  arriveMs: number;
  outages: readonly Outage[];
};

/** A registered segment that is not imported. */
export type Segment = { entries: number; shard: number; registeredAt: number; boundTo: number | null };

export const stepMs = 10;

/** State that all parts of the model see. */
export type World = {
  cluster: Cluster;
  now: number;
  chance: () => number;
  waiting: Segment[];
  isAway: (what: Outage['what'], index: number) => boolean;
  /** Lanes whose last import failed, as far as nodes know. */
  shardsAway: ReadonlySet<number>;
};

export function isAway({ cluster, now }: World, what: Outage['what'], index: number): boolean {
  return cluster.outages.some(
    outage =>
      outage.what === what &&
      now >= outage.fromMs &&
      now < outage.toMs &&
      (outage.which === undefined || outage.which.includes(index)),
  );
}

/** A lane of the model: one import after another into one shard, by the living node that holds the lease. */
import { importCosts } from './costs.ts';
import { type Segment, stepMs, type World } from './modelState.ts';

// The log store's own values (`importLane.ts`, `dueSegments.ts`).
const ageMsMax = 1_000;
const rowsDue = 50_000;
const patienceMs = 2_000;
const leaseMs = 5_000;
const othersMs = 1_000;
const pollMs = 100;
const retryMs = 1_000;
const segmentsSeenMax = 2_000;

type Import = { segments: Segment[]; entries: number; leftMs: number };

export class ShardQueue {
  readonly #world: World;
  readonly #shard: number;
  #holder: number | null = null;
  /** Until then, no other node may take a dead node's lease. */
  #freeAt = 0;
  #nextLookAt = 0;
  #import: Import | null = null;
  imported = 0;
  /** The last import did not finish. */
  hasFailed = false;

  constructor(world: World, shard: number) {
    this.#world = world;
    this.#shard = shard;
  }

  step(): void {
    const { now, isAway } = this.#world;
    if (!this.#isHeld() || isAway('database', 0)) return;
    if (isAway('shard', this.#shard)) {
      // A node finds out only when it sends something to the shard.
      if (this.#import !== null || now >= this.#nextLookAt) this.hasFailed = true;
      this.#nextLookAt = Math.max(this.#nextLookAt, now + retryMs);
      return;
    }
    if (this.#import !== null) this.#goOn(this.#import);
    else if (now >= this.#nextLookAt) this.#look();
  }

  #isHeld(): boolean {
    const { now, cluster, isAway } = this.#world;
    if (this.#holder !== null && isAway('node', this.#holder)) {
      this.#holder = null;
      this.#freeAt = now + leaseMs + othersMs;
    }
    if (this.#holder === null && now >= this.#freeAt) {
      const nodes = Array.from(
        { length: cluster.nodes },
        (_, index) => (index + this.#shard) % cluster.nodes,
      );
      this.#holder = nodes.find(index => !isAway('node', index)) ?? null;
    }
    return this.#holder !== null;
  }

  /** Resends bound segments after the shard or the node failed; the shard stores what it lacks. */
  #goOn(under: Import): void {
    under.leftMs -= stepMs;
    if (under.leftMs > 0) return;
    const { waiting } = this.#world;
    const done = new Set(under.segments);
    this.#world.waiting = waiting.filter(segment => !done.has(segment));
    this.imported += under.entries;
    this.#import = null;
    this.hasFailed = false;
  }

  #look(): void {
    const { now, cluster, waiting, isAway } = this.#world;
    this.#nextLookAt = now + pollMs;
    this.hasFailed = false;
    if (isAway('bucket', 0)) return; // other nodes made most waiting segments, so this node must read them from the bucket
    const open = waiting.slice(0, segmentsSeenMax).filter(segment => this.#mayTake(segment));
    const rows = open.reduce((sum, { entries }) => sum + entries, 0);
    if (rows < rowsDue && !open.some(({ registeredAt }) => now - registeredAt >= ageMsMax)) return;
    const segments: Segment[] = [];
    let entries = 0;
    for (const segment of open) {
      if (segments.length > 0 && entries + segment.entries > importCosts.rowsMax) break;
      entries += segment.entries;
      segment.boundTo = this.#shard;
      segments.push(segment);
    }
    if (segments.length === 0) return;
    const leftMs = importCosts.besideMs + (entries / cluster.shardEntriesPerSecond) * 1_000;
    this.#import = { segments, entries, leftMs };
    this.#nextLookAt = now;
  }

  #mayTake({ boundTo, shard, registeredAt }: Segment): boolean {
    if (boundTo !== null) return false;
    return shard === this.#shard || this.#world.now - registeredAt >= patienceMs;
  }
}

/** A node of the model: accepts and gathers entries, and answers when their segment is in the bucket and registered. */

import { entryCosts, segmentCosts } from './costs.ts';
import { stepMs, type World } from './modelState.ts';
import { drawMs } from './seededRandom.ts';

type Group = { entries: number; begunAt: number };
/** `putAt`, `rowAt`: when bucket and database will have answered; null before the request. */
type Sending = Group & { putAt: number | null; rowAt: number | null };

const probedMs = 5_000; // how long a proxy still sends requests to a dead node
const retryMs = 500;
const giveUpMs = 5_000; // then the node refuses a request that waits for a bucket or database

export class Node {
  readonly #world: World;
  readonly #index: number;
  #group: Group = { entries: 0, begunAt: 0 };
  #sending: Sending[] = [];
  #carry = 0;
  #downSince: number | null = null;
  /** The node accepts nothing until bucket and database answer again. */
  #troubledUntil = 0;
  #turn: number;
  #second = { acknowledged: 0, refused: 0 };
  readonly delays: { ms: number; entries: number }[] = [];
  offered = 0;
  acknowledged = 0;
  refused = 0;
  unanswered = 0;
  puts = 0;

  constructor(world: World, index: number) {
    this.#world = world;
    this.#index = index;
    this.#turn = index;
  }

  /** The number of entries that wait for their answer. */
  get held(): number {
    return this.#group.entries + this.#sending.reduce((sum, { entries }) => sum + entries, 0);
  }

  /** Whether the proxy sends requests here. */
  get isAsked(): boolean {
    return this.#downSince === null || this.#world.now - this.#downSince < probedMs;
  }

  /** Returns the counts since the last call. */
  takeCounts(): { acknowledged: number; refused: number } {
    const taken = this.#second;
    this.#second = { acknowledged: 0, refused: 0 };
    return taken;
  }

  /** `nodes`: the nodes that share arriving entries; null once none arrive. */
  step(nodes: readonly Node[] | null): void {
    const isDown = this.#world.isAway('node', this.#index);
    if (isDown && this.#downSince === null) this.#die();
    if (!isDown) this.#downSince = null;
    if (nodes !== null && this.isAsked) this.#arrive(nodes.filter(({ isAsked }) => isAsked).length);
    if (isDown) return;
    this.#send();
    this.#sending = this.#sending.filter(sending => !this.#proceed(sending));
  }

  #die(): void {
    this.#downSince = this.#world.now;
    this.unanswered += this.held;
    this.#group = { entries: 0, begunAt: 0 };
    this.#sending = [];
  }

  #arrive(nodes: number): void {
    const { cluster, now, chance } = this.#world;
    // Each step gets between half and one and a half of the mean.
    this.#carry += (cluster.entriesPerSecond / nodes) * (stepMs / 1_000) * (0.5 + chance());
    const entries = Math.floor(this.#carry);
    this.#carry -= entries;
    this.offered += entries;
    const isFull = this.#group.entries * entryCosts.segmentBytes > segmentCosts.groupBytesMax;
    if (this.#downSince !== null || now < this.#troubledUntil || isFull) this.#refuse(entries);
    else this.#gather(entries);
  }

  #gather(entries: number): void {
    if (this.#group.entries === 0) this.#group.begunAt = this.#world.now;
    this.#group.entries += entries;
  }

  #refuse(entries: number): void {
    this.refused += entries;
    this.#second.refused += entries;
  }

  #send(): void {
    const { now, chance } = this.#world;
    const { entries, begunAt } = this.#group;
    if (entries === 0 || this.#sending.length >= segmentCosts.underWayMax) return;
    const isFull = entries * entryCosts.segmentBytes >= segmentCosts.fullBytes;
    if (now - begunAt < segmentCosts.gatherMs && !isFull) return;
    const putAt = this.#world.isAway('bucket', 0) ? null : now + drawMs(chance, segmentCosts.putMs);
    this.puts += 1;
    this.#sending.push({ entries, begunAt, putAt, rowAt: null });
    this.#group = { entries: 0, begunAt: 0 };
  }

  /** Returns true once it has ended, with success or failure. */
  #proceed(sending: Sending): boolean {
    const { now, chance, isAway } = this.#world;
    const waitsFor = sending.putAt === null || now < sending.putAt ? 'bucket' : 'database';
    if (isAway(waitsFor, 0)) {
      this.#troubledUntil = now + retryMs;
      if (now - sending.begunAt < giveUpMs) return false;
      this.#refuse(sending.entries);
      return true;
    }
    sending.putAt ??= now + drawMs(chance, segmentCosts.putMs);
    if (now < sending.putAt) return false;
    sending.rowAt ??= now + drawMs(chance, segmentCosts.rowMs);
    if (now < sending.rowAt) return false;
    this.#register(sending);
    return true;
  }

  #register({ entries, begunAt }: Sending): void {
    const { now, cluster, shardsAway, waiting } = this.#world;
    const alive = Array.from({ length: cluster.shards }, (_, index) => index).filter(
      index => !shardsAway.has(index),
    );
    const shards = alive.length > 0 ? alive : [0];
    const shard = shards[this.#turn++ % shards.length] ?? 0;
    waiting.push({ entries, shard, registeredAt: now, boundTo: null });
    this.acknowledged += entries;
    this.#second.acknowledged += entries;
    this.delays.push({ ms: now - begunAt, entries });
  }
}

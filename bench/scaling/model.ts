/**
 * A model of the journal in a bucket: nodes gather entries into segments, put them into the bucket and register them. Lanes, one per shard and held
 * by a node under a lease, import them. It runs in steps of ten milliseconds, with seeded random numbers, so the same cluster gives the same figures.
 * Its times are the log store's own.
 */

import { ShardQueue } from './lanes.ts';
import { type Cluster, isAway, stepMs, type World } from './modelState.ts';
import { Node } from './nodes.ts';
import { makeChance } from './seededRandom.ts';

/** The state at the end of a second. */
export type Second = {
  at: number;
  acknowledged: number;
  refused: number;
  waiting: number;
  oldestMs: number;
  segments: number;
};

export type Outcome = {
  seconds: Second[];
  offered: number;
  acknowledged: number;
  refused: number;
  /** A node died before it answered. */
  unanswered: number;
  imported: number;
  waiting: number;
  puts: number;
  /** Percentiles of the time from request to answer, in milliseconds. */
  answeredMs: { p50: number; p99: number };
};

const drainMsMax = 3_600_000; // a backlog that lasts longer never drains

export function simulate(cluster: Cluster): Outcome {
  const world: World & { shardsAway: Set<number> } = {
    cluster,
    now: 0,
    chance: makeChance(cluster.seed),
    waiting: [],
    shardsAway: new Set(),
    isAway: (what, index) => isAway(world, what, index),
  };
  const nodes = Array.from({ length: cluster.nodes }, (_, index) => new Node(world, index));
  const lanes = Array.from({ length: cluster.shards }, (_, index) => new ShardQueue(world, index));
  const seconds: Second[] = [];
  const end = cluster.arriveMs + drainMsMax;
  for (; world.now < end; world.now += stepMs) {
    const isArriving = world.now < cluster.arriveMs;
    for (const node of nodes) node.step(isArriving ? nodes : null);
    for (const lane of lanes) lane.step();
    for (const [index, lane] of lanes.entries()) {
      if (lane.hasFailed) world.shardsAway.add(index);
      else world.shardsAway.delete(index);
    }
    if (world.now % 1_000 === 0) seconds.push(noteSecond(world, nodes));
    if (!isArriving && world.waiting.length === 0 && nodes.every(({ held }) => held === 0)) break;
  }
  return { seconds, ...sumUp(world, nodes, lanes) };
}

function noteSecond({ now, waiting }: World, nodes: readonly Node[]): Second {
  const oldest = waiting.reduce((least, { registeredAt }) => Math.min(least, registeredAt), now);
  const second: Second = {
    at: now,
    acknowledged: 0,
    refused: 0,
    waiting: waiting.reduce((sum, { entries }) => sum + entries, 0),
    oldestMs: now - oldest,
    segments: waiting.length,
  };
  for (const node of nodes) {
    const { acknowledged, refused } = node.takeCounts();
    second.acknowledged += acknowledged;
    second.refused += refused;
  }
  return second;
}

function sumUp(
  { waiting }: World,
  nodes: readonly Node[],
  lanes: readonly ShardQueue[],
): Omit<Outcome, 'seconds'> {
  const sum = (read: (node: Node) => number) => nodes.reduce((total, node) => total + read(node), 0);
  const delays = nodes.flatMap(({ delays }) => delays).toSorted((one, other) => one.ms - other.ms);
  return {
    offered: sum(({ offered }) => offered),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    refused: sum(({ refused }) => refused),
    unanswered: sum(({ unanswered }) => unanswered),
    imported: lanes.reduce((total, { imported }) => total + imported, 0),
    waiting: waiting.reduce((total, { entries }) => total + entries, 0),
    puts: sum(({ puts }) => puts),
    answeredMs: { p50: findShare(delays, 0.5), p99: findShare(delays, 0.99) },
  };
}

type Delay = { ms: number; entries: number };

function findShare(delays: readonly Delay[], share: number): number {
  const all = delays.reduce((total, { entries }) => total + entries, 0);
  let seen = 0;
  for (const { ms, entries } of delays) {
    seen += entries;
    if (seen >= all * share) return ms;
  }
  return 0;
}

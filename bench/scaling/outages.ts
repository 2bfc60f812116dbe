/** The outages in docs/scaling.md at its cluster sizes, and their outcomes. */
import { reckonEntries } from './arithmetic.ts';
import { entryCosts } from './costs.ts';
import { type Outcome, type Second, simulate } from './model.ts';
import type { Cluster, Outage } from './modelState.ts';

const seed = 20_261_123;
const arriveMs = 180_000;
const [fromMs, toMs] = [60_000, 120_000];
const usualMs = 3_000; // without an outage, waiting entries are younger

type Scenario = { name: string; outages: (cluster: Pick<Cluster, 'nodes' | 'shards'>) => Outage[] };

const away = (what: Outage['what'], which?: readonly number[]): Outage => ({
  what,
  fromMs,
  toMs,
  ...(which && { which }),
});

export const scenarios: readonly Scenario[] = [
  { name: 'nothing', outages: () => [] },
  { name: 'one node, for good', outages: () => [{ ...away('node', [0]), toMs: Number.POSITIVE_INFINITY }] },
  { name: 'one shard, a minute', outages: () => [away('shard', [0])] },
  { name: 'all shards, a minute', outages: () => [away('shard')] },
  { name: 'the bucket, a minute', outages: () => [away('bucket')] },
  { name: 'the database, a minute', outages: () => [away('database')] },
];

/** At lower rates, one machine does everything, with a journal on its disk. */
const sizes = [100_000, 10_000_000] as const;

export type Story = {
  entriesPerSecond: number;
  scenario: string;
  outcome: Outcome;
  /** The share of the offered load. */
  refusedShare: number;
  waitingMax: number;
  segmentsMax: number;
  oldestMsMax: number;
  /** Time from the end of the outage until no waiting entry is older than usual; null if none was. */
  recoveredMs: number | null;
};

/** Returns a cluster according to the arithmetic. */
export function makeCluster(entriesPerSecond: number): Omit<Cluster, 'outages'> {
  const { nodes, shards, shardCores } = reckonEntries(entriesPerSecond);
  const shardEntriesPerSecond = (shardCores * 1e6) / entryCosts.engineMicros;
  return { seed, nodes, shards, entriesPerSecond, shardEntriesPerSecond, arriveMs };
}

function tellStory(entriesPerSecond: number, { name, outages }: Scenario): Story {
  const cluster = makeCluster(entriesPerSecond);
  const outcome = simulate({ ...cluster, outages: outages(cluster) });
  const { seconds, refused, offered } = outcome;
  const most = (read: (second: Second) => number) => Math.max(...seconds.map(read));
  const late = seconds.findLast(({ at, oldestMs }) => at > fromMs && oldestMs > usualMs);
  return {
    entriesPerSecond,
    scenario: name,
    outcome,
    refusedShare: refused / offered,
    waitingMax: most(({ waiting }) => waiting),
    segmentsMax: most(({ segments }) => segments),
    oldestMsMax: most(({ oldestMs }) => oldestMs),
    recoveredMs: late === undefined ? null : Math.max(0, late.at + 1_000 - toMs),
  };
}

export function describeOutages(): Story[] {
  return sizes.flatMap(size => scenarios.map(scenario => tellStory(size, scenario)));
}

/**
 * Removes expired entries and those of deleted datasets or projects. Parts with nothing else are dropped as a whole, which
 * costs nothing. In other parts, rows are marked as deleted at once, and leave the disk when rewriting the rest is worth it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs } from '../../dayLength.ts';
import { deletionFenceMs } from '../../journal/pendingDeletions.ts';
import { closeArrivals } from '../../queries/arrivals.ts';
import { partsBoundMax, partsQuery, readPart } from '../../queries/parts.ts';
import { EngineError } from '../../writer/engine/requests.ts';
import { Binder, bindMicros, queryRows, runCommand } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { endBackfilling } from '../../writer/schema/mutations.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { type GiveReserve, runDeletion } from './fullDisk.ts';
import type { DatasetRetention, LogRemovals } from './logRemovals.ts';

type RemovalDeps = {
  shards: readonly EngineAccess[];
  /** Resolves once everything that this node acknowledged before is in the engine. */
  flush(): Promise<void>;
  /** Does the same, and no start of this node will insert those entries again. */
  flushAndForget(): Promise<void>;
  /** Whether other nodes also insert what they acknowledged. They leave out what is recorded as deleted. */
  isShared: boolean;
  /** Releases the reserve on the engine's disk; absent if there is none. */
  releaseReserve?: GiveReserve | undefined;
  /** Runs the work, which removes parts on purpose. */
  expectRemovals?: (<Answer>(work: () => Promise<Answer>) => Promise<Answer>) | undefined;
};

/** The entries to remove, of a dataset or, with null, of the whole project: all of them, or all before a time. */
type Removal = { project: string; dataset: string | null; beforeMicros: number | null };

type Run = { isDryRun: boolean; signal: AbortSignal };

/** A server to query, until the signal aborts. */
type Shard = { access: EngineAccess; signal: AbortSignal };
type Struck = Shard & { releaseReserve: GiveReserve };
/** How many entries of a dataset or, with null, of the whole project a part holds, and how many of those to remove. */
type Share = {
  part: string;
  partition: string;
  project: string;
  dataset: string | null;
  entries: number;
  going: number;
};

const rewrittenShareMin = 0.25; // a smaller share goes with later merges
const removalsBoundMax = 100; // three values each; ClickHouse accepts 1,000 per statement
const partitionsBoundMax = 500; // one value each
const readSettings = { max_execution_time: 600, priority: 2, os_threads_nice_value_query: 10 };

export function createLogRemovals(deps: RemovalDeps): LogRemovals {
  return {
    async deleteDataset({ project, dataset }) {
      // A segment that is still in the journal after its insert would bring the entries back after a crash.
      await deps.flushAndForget();
      if (deps.isShared) await waitForFence(deps.shards);
      const run = { isDryRun: false, signal: new AbortController().signal }; // runs to the end, even if the caller has gone
      return removeEverywhere(deps, [{ project, dataset, beforeMicros: null }], run);
    },
    async dropExpired(retentions, { nowMs, ...run }) {
      await flushUntil(deps, run.signal); // entries that a crash brings back are still expired, and the next run removes them
      return removeEverywhere(
        deps,
        retentions.flatMap(retention => expire(nowMs, retention)),
        run,
      );
    },
    async deleteProjects(projects, signal) {
      if (projects.length === 0) return 0;
      await flushUntil(deps, signal);
      const found = await Promise.all(deps.shards.map(access => listRemains({ access, signal }, projects)));
      // Several shards hold the same projects.
      const removals = [...new Set(found.flat())].map(project => ({
        project,
        dataset: null,
        beforeMicros: null,
      }));
      return removeEverywhere(deps, removals, { isDryRun: false, signal });
    },
  };
}

/** Resolves once all inserts have ended that began before their node could know of deletions recorded by now. */
async function waitForFence(shards: readonly EngineAccess[]): Promise<void> {
  await wait(deletionFenceMs);
  await Promise.all(shards.map(closeArrivals));
}

/** Stops waiting for the engine when the signal aborts. */
async function flushUntil({ flush }: RemovalDeps, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([flush(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function expire(nowMs: number, { project, dataset, days }: DatasetRetention): Removal[] {
  return days === null ? [] : [{ project, dataset, beforeMicros: (nowMs - days * dayMs) * 1000 }];
}

/** Lists the projects that have entries left. The table's sorting key leads to them. */
async function listRemains({ access, signal }: Shard, projects: readonly string[]): Promise<string[]> {
  const remains: string[] = [];
  for (const some of chunk(projects, removalsBoundMax)) {
    const binder = new Binder();
    const words = some.map(project => binder.bind('String', project));
    const sql = `SELECT project FROM ${localTable} WHERE project IN (${words.join(', ')}) GROUP BY project`;
    const settings = { ...readSettings, optimize_aggregation_in_order: 1 };
    const rows = await queryRows(access, { sql, parameters: binder.parameters, settings, signal });
    for (const [project] of rows as [string][]) remains.push(project); // as selected
  }
  return remains;
}

async function removeEverywhere(
  deps: RemovalDeps,
  removals: readonly Removal[],
  { isDryRun, signal }: Run,
): Promise<number> {
  if (removals.length === 0) return 0;
  const { shards, releaseReserve = async () => false, expectRemovals = work => work() } = deps;
  const remove = async () => {
    let entries = 0;
    for (const access of shards)
      entries += await removeFromShard({ access, signal, releaseReserve }, removals, isDryRun);
    return entries;
  };
  return isDryRun ? await remove() : await expectRemovals(remove);
}

async function removeFromShard(
  shard: Struck,
  removals: readonly Removal[],
  isDryRun: boolean,
): Promise<number> {
  let entries = 0;
  const shares = await listShares(shard, removals);
  for (const [part, ofPart] of Map.groupBy(shares, share => share.part)) {
    entries += sum(ofPart.map(share => share.going));
    const isWhole = ofPart.every(share => share.going === share.entries);
    if (isWhole && !isDryRun) await dropPart(shard, part);
  }
  if (isDryRun) return entries;
  // Parts that were merged in between, and parts that also hold other entries.
  const rest = await listShares(shard, removals);
  const found = new Set(rest.filter(({ going }) => going > 0).map(nameTarget));
  const present = removals.filter(removal => found.has(nameTarget(removal)));
  await markRowsDeleted(shard, present);
  await rewrite(shard, listHollow(rest));
  return entries;
}

/** Lists the partitions that lose so much that the rest is worth rewriting. */
function listHollow(shares: readonly Share[]): string[] {
  const partitions = [...Map.groupBy(shares, share => share.partition)];
  const hollow = partitions.filter(([, ofPartition]) => {
    const going = sum(ofPartition.map(share => share.going));
    return going > 0 && going / sum(ofPartition.map(({ entries }) => entries)) >= rewrittenShareMin;
  });
  return hollow.map(([partition]) => partition);
}

function nameTarget({ project, dataset }: Pick<Removal, 'project' | 'dataset'>): string {
  return JSON.stringify([project, dataset]);
}

/**
 * Lists the shares of every part that may hold entries to remove. A part that the engine merges meanwhile loses its name, so
 * this reads new parts until there are none.
 */
async function listShares(shard: Shard, removals: readonly Removal[]): Promise<Share[]> {
  const known = new Map<string, Share[]>();
  for (;;) {
    const parts = await listOldParts(shard, removals);
    const unread = parts.filter(part => !known.has(part));
    if (unread.length === 0) return parts.flatMap(part => known.get(part) ?? []);
    const shares = Map.groupBy(await readShares(shard, unread, removals), ({ part }) => part);
    for (const part of unread) known.set(part, shares.get(part) ?? []);
  }
}

async function readShares(
  shard: Shard,
  listed: readonly string[],
  removals: readonly Removal[],
): Promise<Share[]> {
  const shares: Share[] = [];
  const isByDataset = removals.some(({ dataset }) => dataset !== null); // a run removes by dataset, or by project
  for (const parts of chunk(listed, partsBoundMax)) {
    const ofParts = await countEntries(shard, { parts, isByDataset, removals: null });
    const going = new Map<string, number>();
    for (const some of chunk(removals, removalsBoundMax)) {
      for (const { entries, ...place } of await countEntries(shard, { parts, isByDataset, removals: some })) {
        going.set(JSON.stringify(place), entries); // each dataset or project has one removal
      }
    }
    for (const { entries, ...place } of ofParts) {
      shares.push({ ...place, entries, going: going.get(JSON.stringify(place)) ?? 0 });
    }
  }
  return shares;
}

type Counted = { parts: readonly string[]; isByDataset: boolean; removals: readonly Removal[] | null };

/** Counts entries by part and dataset, or by part and project: all of them, or only those to remove. */
async function countEntries(
  { access, signal }: Shard,
  { parts, isByDataset, removals }: Counted,
): Promise<Omit<Share, 'going'>[]> {
  const binder = new Binder();
  const goes = removals === null ? '1' : formatRemovals(removals, binder);
  const [dataset, group] = isByDataset ? ['dataset', ', dataset'] : ['NULL', ''];
  const sql = `SELECT _part, _partition_id, project, ${dataset}, count() FROM ${localTable}
    WHERE _part IN ${binder.bindWords(parts)} AND (${goes}) GROUP BY _part, _partition_id, project${group}`;
  const { parameters } = binder;
  const rows = await queryRows(access, { sql, parameters, settings: readSettings, signal });
  // As the statement selects them.
  return (rows as [string, string, string, string | null, number][]).map(
    ([part, partition, project, dataset, entries]) => ({ part, partition, project, dataset, entries }),
  );
}

/** Lists the names of the parts that may hold entries to remove. */
async function listOldParts({ access, signal }: Shard, removals: readonly Removal[]): Promise<string[]> {
  const latest = Math.max(...removals.map(({ beforeMicros }) => beforeMicros ?? Number.POSITIVE_INFINITY));
  const parts = (await queryRows(access, { sql: partsQuery, settings: readSettings, signal })).map(readPart);
  return parts.filter(({ fromMicros }) => fromMicros < latest).map(({ name }) => name);
}

function formatRemovals(removals: readonly Removal[], binder: Binder): string {
  return removals.map(removal => formatRemoval(removal, binder)).join(' OR ');
}

function formatRemoval({ project, dataset, beforeMicros }: Removal, binder: Binder): string {
  const ofProject = `project = ${binder.bind('String', project)}`;
  const place = dataset === null ? ofProject : `${ofProject} AND dataset = ${binder.bind('String', dataset)}`;
  return beforeMicros === null
    ? `(${place})`
    : `(${place} AND timestamp < ${bindMicros(beforeMicros, binder)})`;
}

/** ClickHouse no longer has the part: it was merged, and the merged part is looked at later. */
const partMissingCodes = [232, 233];

async function dropPart(shard: Shard, part: string): Promise<void> {
  const binder = new Binder();
  try {
    await command(shard, `ALTER TABLE ${localTable} DROP PART ${binder.bind('String', part)}`, binder);
  } catch (error) {
    if (!(error instanceof EngineError) || !partMissingCodes.includes(error.engineCode)) throw error;
  }
}

/**
 * Resolves once no query finds the removed entries. Each such statement renames all parts of the table, whatever partitions
 * it names: one for all takes a second, where one for each took a minute.
 */
async function markRowsDeleted(shard: Struck, removals: readonly Removal[]): Promise<void> {
  for (const some of chunk(removals, removalsBoundMax)) {
    const binder = new Binder();
    const goes = formatRemovals(some, binder);
    const sql = `DELETE FROM ${localTable} WHERE ${goes} SETTINGS lightweight_deletes_sync = 2`;
    await endBackfilling(shard.access, shard.signal);
    await runDeletion(shard.access, signal => command({ ...shard, signal }, sql, binder), shard);
  }
}

/** Starts rewriting the partitions without the deleted rows. Queries already skip these rows, so nothing waits for it. */
async function rewrite(shard: Shard, partitions: readonly string[]): Promise<void> {
  for (const some of chunk(partitions, partitionsBoundMax)) {
    const binder = new Binder();
    const rewritten = some.map(id => `APPLY DELETED MASK IN PARTITION ID ${binder.bind('String', id)}`);
    const sql = `ALTER TABLE ${localTable} ${rewritten.join(', ')} SETTINGS mutations_sync = 0`;
    await command(shard, sql, binder);
  }
}

async function command({ access, signal }: Shard, sql: string, { parameters }: Binder): Promise<void> {
  await runCommand(access, sql, { parameters, signal });
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

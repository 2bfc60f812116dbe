/** Adds what entries of earlier versions lack, server by server and newest first. Queries still find the entries meanwhile. */

import type { Logger } from '../../logger.ts';
import { EngineError } from '../../writer/engine/requests.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { mutate } from '../../writer/schema/mutations.ts';
import { indexes, projections } from '../../writer/schema/schema.ts';
import { markWhole, nameDeclared, readTableState } from '../../writer/schema/tables.ts';
import type { BackfillState, LogBackfill } from './logBackfill.ts';
import { fillPatterns } from './patternFilling.ts';
import { type OldPartition, Survey, sum } from './survey.ts';

type BackfillDeps = {
  shards: readonly EngineAccess[];
  /** Throws while the tables are not ready. */
  requireTables(): void;
  log: Logger;
  /** The engine's memory limit for a query; patterns in progress use a part of it. */
  memoryBytesMax: number;
};

/** `isWhole`: the parts have everything declared, so only patterns are missing. */
type OldShard = { access: EngineAccess; isWhole: boolean; partitions: readonly OldPartition[] };

const bytesPerEntry = 500; // of a query's memory; an entry needs 60, but the table doubles as it grows
const entriesMax = 1_000_000;
const obstaclePauseMs = 600_000; // usually an operator must act first
const groupEntriesMax = 2_000_000; // a deletion that may not go first waits for no more than this

export function createLogBackfill(deps: BackfillDeps): LogBackfill {
  const { shards, log } = deps;
  const surveys = shards.map(access => new Survey(access));
  let found: readonly OldShard[] = [];
  let progress: Progress | null = null;
  let obstacle: string | null = null;
  let pausedUntil = 0;
  return {
    get state() {
      return progress === null ? null : progress.describe(obstacle);
    },
    async look(signal) {
      deps.requireTables();
      found = await Promise.all(surveys.map((survey, index) => inspectShard(shards[index]!, survey, signal)));
      found = found.filter(({ isWhole, partitions }) => !isWhole || partitions.some(lacksPatterns));
      if (found.length > 0 && progress === null)
        log.info('upgrading older log entries; queries are answered meanwhile');
      if (found.length === 0 && progress !== null) log.info('upgraded all older log entries');
      progress = found.length === 0 ? null : new Progress(found, progress);
      return found.length > 0 && performance.now() >= pausedUntil;
    },
    async run(signal) {
      try {
        for (const shard of found) await complete(shard, { ...deps, progress: progress!, signal });
        obstacle = null;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        const sentence = explain(error);
        if (sentence !== obstacle) log.warn({ err: error }, sentence);
        obstacle = sentence;
        pausedUntil = performance.now() + obstaclePauseMs;
      }
    },
  };
}

async function inspectShard(access: EngineAccess, survey: Survey, signal: AbortSignal): Promise<OldShard> {
  const { isWhole } = await readTableState(access, signal);
  return { access, isWhole, partitions: await survey.list(signal) };
}

function lacksPatterns({ withoutPattern }: OldPartition): boolean {
  return withoutPattern > 0;
}

type Work = BackfillDeps & { progress: Progress; signal: AbortSignal };

async function complete({ access, isWhole, partitions }: OldShard, work: Work): Promise<void> {
  const { progress, signal, memoryBytesMax } = work;
  const filling = {
    access,
    signal,
    entriesMax: Math.min(entriesMax, Math.floor(memoryBytesMax / bytesPerEntry)),
  };
  const lacking = isWhole ? partitions.filter(lacksPatterns) : partitions;
  for (const group of groupPartitions(lacking)) {
    const ids = group.map(({ id }) => id);
    if (group.some(lacksPatterns))
      for await (const filled of fillPatterns(filling, ids)) progress.patternsFilled(filled);
    if (isWhole) continue;
    while (!(await mutate(access, formatMaterializing(group), signal))); // repeats if a deletion went first
    progress.partsCompleted(sum(group.map(({ entries }) => entries)));
  }
  if (!isWhole) await markWhole(access, signal);
}

/** Leaves existing indexes as they are. Deleted rows are removed first, because a projection would count them. */
function formatMaterializing(group: readonly OldPartition[]): string {
  const steps = [
    ...(projections.length > 0 ? ['APPLY DELETED MASK'] : []),
    ...indexes.map(index => `MATERIALIZE INDEX ${nameDeclared(index)}`),
    ...projections.map(projection => `MATERIALIZE PROJECTION ${nameDeclared(projection)}`),
  ];
  return group.flatMap(({ id }) => steps.map(step => `${step} IN PARTITION ID '${id}'`)).join(', ');
}

/** Each statement renames all parts of the table, even if it names partitions. So small partitions share a statement. */
function groupPartitions(partitions: readonly OldPartition[]): OldPartition[][] {
  const groups: OldPartition[][] = [];
  let entries = Number.POSITIVE_INFINITY;
  for (const partition of partitions) {
    entries += partition.entries;
    if (entries <= groupEntriesMax) groups.at(-1)!.push(partition);
    else {
      groups.push([partition]);
      entries = partition.entries;
    }
  }
  return groups;
}

/** Counts each entry twice: once for its pattern, and once for the rest. */
class Progress {
  readonly #all: number;
  #entriesWithoutPattern: number;
  #entriesInOldParts: number;

  constructor(shards: readonly OldShard[], before: Progress | null) {
    const count = (of: (partition: OldPartition) => number) => (shard: OldShard) =>
      sum(shard.partitions.map(of));
    const entries = sum(shards.map(count(partition => partition.entries)));
    this.#entriesWithoutPattern = sum(shards.map(count(partition => partition.withoutPattern)));
    this.#entriesInOldParts = sum(
      shards.filter(({ isWhole }) => !isWhole).map(count(partition => partition.entries)),
    );
    this.#all = Math.max(entries + this.#entriesInOldParts, before === null ? 0 : before.#all);
  }

  patternsFilled(entries: number): void {
    this.#entriesWithoutPattern -= entries;
  }

  partsCompleted(entries: number): void {
    this.#entriesInOldParts -= entries;
  }

  describe(obstacle: string | null): BackfillState {
    const left = this.#entriesWithoutPattern + this.#entriesInOldParts;
    const percent = Math.min(99, Math.floor(100 * (1 - left / Math.max(this.#all, 1))));
    return { percent, entriesWithoutPattern: this.#entriesWithoutPattern, obstacle };
  }
}

const deniedCodes = [164, 497];

function explain(error: EngineError): string {
  if (deniedCodes.includes(error.engineCode))
    return (
      'Older log entries cannot be completed, because the service may not alter its tables in ClickHouse. Allow it with ' +
      'GRANT ALTER, CREATE TABLE, INSERT, SELECT, TRUNCATE ON tapedeck.* (questions are answered meanwhile).'
    );
  return `Older log entries cannot be completed right now: ${error.message}`;
}

/** The intake with a journal in a bucket. This node writes its segments there, and imports any node's segments into ClickHouse. */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@tapedeck/values/random-ids';
import { findRegisteredDeletions } from '../journal/bucket/registeredDeletions.ts';
import { Registrar } from '../journal/bucket/registrar.ts';
import { RegistryWatch } from '../journal/bucket/registryWatch.ts';
import type { SegmentBucket } from '../journal/bucket/segmentBucket.ts';
import { SegmentReading } from '../journal/bucket/segmentReading.ts';
import type { SegmentRegistry } from '../journal/bucket/segmentRegistry.ts';
import { SegmentWriter } from '../journal/bucket/segmentWriter.ts';
import { sweepSegments } from '../journal/bucket/sweep.ts';
import { WriterLease } from '../journal/bucket/writerLease.ts';
import type { LogDeletions } from '../journal/logDeletions.ts';
import type { Logger } from '../logger.ts';
import { createAgents } from '../writer/engine/requests.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { ImportLane } from '../writer/flushing/importLane.ts';
import { PartitionSplit } from '../writer/flushing/partitionSplit.ts';
import type { InsertDeps } from '../writer/flushing/segmentInsert.ts';
import { type Shard, shardMark } from '../writer/flushing/shardQueue.ts';
import { openBatchesOf } from './batches.ts';
import type { JournalCondition, OpenedIntake } from './intake.ts';

/** The bucket in which all nodes keep acknowledged entries. */
export type SharedJournal = { bucket: SegmentBucket; registry: SegmentRegistry; deletions: LogDeletions };

type BucketIntakeDeps = SharedJournal & {
  log: Logger;
  /** Rejects if the server has lost its data; absent if servers lose nothing. */
  confirm: ((access: EngineAccess) => Promise<void>) | undefined;
  onInsert: InsertDeps['onInsert'];
};

const questionMsMax = 2_000; // CONTRACT.md, 13
const lastImportMsMax = 4_000; // on a busy machine; with the time to leave, within the ten seconds of a stop
const idleTimeMsMax = 20_000; // of a connection, below the engine's own limit
const sweepMs = 300_000;
const measureMsMax = 1_500;

export async function openBucketIntake(
  deps: BucketIntakeDeps,
  shards: readonly Shard[],
): Promise<OpenedIntake> {
  const { registry } = deps;
  const listeners = new Set<() => void>();
  const importing = openImporting(deps, shards);
  const { lanes, watch, spreading } = importing;
  const lease = new WriterLease(deps);
  await lease.asked;
  const writer = openWriter({ ...deps, lease }, importing, listeners);
  const importAll = (timeMsMax: number) =>
    watch.untilImported(timeMsMax, () => {
      for (const lane of lanes) lane.hurry();
    });
  const flush = (timeMsMax: number) => importAll(Math.min(timeMsMax, questionMsMax));
  return {
    openBatch: openBatchesOf(writer),
    findKey: async () => null, // the key claims themselves record what is stored
    keepNodeId: async () => importing.nodeId,
    flush,
    flushAndForget: flush, // a finished import is never repeated
    waitForWholeBatches: spreading.waitForWholeBatches.bind(spreading),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get insertedRows() {
      return importing.counts.insertedRows;
    },
    isInserting: true, // other nodes may insert at any time
    get failures() {
      return writer.failures + lanes.reduce((sum, lane) => sum + lane.failedImports, 0);
    },
    readWaiting: async () => (await inspectJournal(registry)).waiting,
    inspectJournal: () => inspectJournal(registry),
    releaseReserve: async () => false, // it keeps no reserve on this machine
    requireTaking() {
      if (writer.trouble !== null) throw writer.trouble;
    },
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await lease[Symbol.asyncDispose]();
      // The remaining nodes may have a version or a setting that imports nothing from this bucket.
      const late = wait(lastImportMsMax, undefined, { ref: false });
      await Promise.race([importAll(lastImportMsMax).catch(() => {}), late]);
      await importing[Symbol.asyncDispose]();
    },
  };
}

type Importing = AsyncDisposable & {
  nodeId: string;
  lanes: readonly ImportLane[];
  watch: RegistryWatch;
  reading: SegmentReading;
  spreading: PartitionSplit;
  counts: { insertedRows: number };
};

function openImporting(deps: BucketIntakeDeps, shards: readonly Shard[]): Importing {
  const { log, registry, deletions, onInsert, confirm = async () => {} } = deps;
  const stopping = new AbortController();
  const nodeId = newId();
  const marks = shards.map(({ url }) => shardMark(url));
  const shared = {
    watch: new RegistryWatch({ ...deps, marks }),
    reading: new SegmentReading(deps),
    spreading: new PartitionSplit(),
  };
  const agents = createAgents(idleTimeMsMax);
  const counts = { insertedRows: 0 };
  const laneDeps = {
    ...shared,
    log,
    registry,
    agents,
    confirm,
    onInsert,
    stopping: stopping.signal,
    deletions: { find: findRegisteredDeletions(deletions) },
    onImported: (rows: number) => {
      counts.insertedRows += rows;
    },
  };
  const lanes = shards.map(
    (shard, index) => new ImportLane(laneDeps, { shard, mark: marks[index]!, marks, nodeId }),
  );
  const sweeping = keepSweeping(deps, stopping.signal);
  return {
    ...shared,
    nodeId,
    lanes,
    counts,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      agents.http.destroy();
      agents.https.destroy();
      await Promise.all([...lanes.map(lane => lane.finish()), sweeping]);
      await shared.reading.finish();
    },
  };
}

function openWriter(
  deps: BucketIntakeDeps & { lease: WriterLease },
  { lanes, reading }: Importing,
  listeners: ReadonlySet<() => void>,
): SegmentWriter {
  let turn = 0;
  const { log, bucket, lease } = deps;
  return new SegmentWriter({
    log,
    bucket,
    registrar: new Registrar(deps),
    readTime: () => lease.readTime(),
    /** Takes shards in turn, and skips those that are away, unless all are. */
    nextShard() {
      const alive = lanes.filter(lane => !lane.isAway);
      const able = alive.length > 0 ? alive : lanes;
      return able[turn++ % able.length]!.mark;
    },
    onWritten(name, content) {
      reading.keep(name, content);
      for (const listener of listeners) listener();
    },
  });
}

async function keepSweeping(deps: BucketIntakeDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(sweepMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await sweepSegments(deps, signal).catch(error => {
      if (!signal.aborted) deps.log.warn({ err: error }, 'the journal in the bucket could not be cleaned up');
    });
  }
}

/** Measures for at most `measureMsMax`; the values are null if the database does not answer. */
async function inspectJournal(registry: SegmentRegistry): Promise<JournalCondition> {
  const late = wait(measureMsMax, null, { ref: false });
  const measured = await Promise.race([registry.measure().catch(() => null), late]);
  if (measured === null) return { waiting: null, damaged: null, bytesMax: null };
  const { rows: entries, bytes, oldestMs, damaged } = measured;
  const oldestAt = oldestMs === null ? null : Date.now() - oldestMs;
  return { waiting: { entries, bytes, oldestAt }, damaged, bytesMax: null };
}

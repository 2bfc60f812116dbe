/** Opens the log store, the intake of entries, and the jobs around them. */

import { getHeapStatistics } from 'node:v8';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import { openRetentions } from '@tapedeck/domain/logs/datasetRules';
import { createCursorSigner } from '@tapedeck/domain/logs/search/pages';
import { measureQueries } from '@tapedeck/domain/logs/search/queryTimes';
import { openLogTails } from '@tapedeck/domain/logs/tails/tails';
import { openLogServers } from '@tapedeck/domain/operations/installation';
import { createStamper } from '@tapedeck/log-entries';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { openLogStore } from '@tapedeck/log-store';
import { LineBudget, openEvaluationThreads } from '@tapedeck/loki-queries';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics.ts';
import type { EntryIntakeDeps } from '../intake/entryIntake.ts';
import { openReadingThread } from '../intake/thread/readingThread.ts';
import { listLogJobs } from '../jobs/logs.ts';
import type { CoreStores } from './coreStores.ts';
import type { EarlyStart } from './earlyStart.ts';
import { openKeyGate } from './keyGate.ts';
import { openSharedJournal } from './sharedJournal.ts';
import type { SharedParts } from './sharedParts.ts';
import { findProblem } from './status.ts';

/** Opens the log store and the intake of entries. */
export async function openLogs(
  config: Config,
  {
    access,
    secret,
    store,
    installationId,
    engine,
    metrics,
  }: CoreStores & { access: AccessDirectory; engine: EarlyStart['engine']; metrics: Metrics },
  { log, clock, signal, opened, repeated, watch, counts, spans }: SharedParts,
) {
  // Nodes that share the database share their deletions.
  const deletions = config.database.kind === 'postgres' ? store.read.logDeletions : null;
  const known = openLogServers({ store }, installationId);
  const journal = openSharedJournal(config, store, opened);
  const shared = { known, deletions, journal };
  const logStore = opened.use(
    await openLogStore(config.logs, {
      log,
      dataDir: config.dataDir,
      signal,
      engine,
      ...shared,
      onInsert: step => spans?.note({ name: 'insert log entries', isShared: true, ...step }),
    }),
  );
  watch.add({ name: 'logs', ping: () => logStore.ping(), pingWriting: null });
  metrics.showJournal(() => logStore.readJournal());
  metrics.showLogLoss(() => logStore.findLoss());
  const { intake, removals: logRemovals, backfill: logBackfill, queries: logQueries } = logStore;
  const isShared = config.logs.kind === 'clickhouse';
  repeated.push(...listLogJobs({ logRemovals, logBackfill, logQueries, store, access, clock, isShared }));
  const ingestDeps: EntryIntakeDeps = {
    intake,
    counts,
    reading: opened.use(openReadingThread()),
    clock,
    stamper: createStamper(clock.micros),
    keyGate: await openKeyGate(config, { logStore, store }, { log, clock, repeated }),
    levelSynonyms: config.lenientLevels ? levelSynonyms : null,
    readRetentionDays: openRetentions(access),
  };
  const reading = {
    logQueries: measureQueries(logStore.queries, { log, metrics, spans, slowMs: config.slowQueryMs }),
    ...openEvaluation(opened),
    logBackfill,
    logRemovals,
    cursorSeal: createCursorSigner(secret),
    tails: openLogTails({
      arrivals: logStore.queries,
      intake,
      isShared,
      report: error => log.warn({ err: error }, 'could not look up new log entries; trying again'),
    }),
  };
  const journalState = { isShared: journal !== null, findProblem: () => findProblem(logStore) };
  const findLogLoss = () => logStore.findLoss()?.sentence ?? null;
  return { logStore, logDeps: { ...ingestDeps, ...reading, journal: journalState, findLogLoss } };
}

/** Opens what queries of Loki's clients share. */
function openEvaluation(opened: AsyncDisposableStack) {
  return {
    evaluationThreads: opened.use(openEvaluationThreads()),
    lineBudget: new LineBudget(getHeapStatistics().heap_size_limit),
  };
}

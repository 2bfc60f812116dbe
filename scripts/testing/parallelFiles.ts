/**
 * Decides how many test files run at once, and in which order. A fixed number always runs. Many tests only wait, so more start while the processors
 * have time to spare.
 */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const steadyMax = 4;
export const filesAtOnceMax = 6; // each may run a service with an engine, next to other users' engines
const spareShareMin = 0.05; // a tenth of one of two processors
const spareBytesMin = 3 * 1024 ** 3; // a file's peak, and as much for the other files' peaks
const pollMs = 1_000; // a new file's load shows by then

const roomyBytes = 12 * 1024 ** 3; // four files and their engines take up to 8 GiB

/** Two more than the number of processors: a file waits for half of its time. One more if memory is short. */
export const filesAlways = Math.min(availableParallelism() + (totalmem() >= roomyBytes ? 2 : 1), steadyMax);

/** `hasTimeToSpare`: asked before each file beyond those that always run. */
export async function runInParallel(
  paths: readonly string[],
  run: (path: string) => Promise<void>,
  hasTimeToSpare = watchProcessors(),
): Promise<void> {
  const waiting = [...paths];
  const running = new Set<Promise<void>>();
  while (waiting.length > 0) {
    const mayBegin = running.size < filesAlways || (running.size < filesAtOnceMax && hasTimeToSpare());
    if (mayBegin) {
      const done = run(waiting.shift()!).finally(() => running.delete(done)); // not empty here
      running.add(done);
    } else await Promise.race([...running, pause(pollMs, undefined, { ref: false })]);
  }
  await Promise.all(running);
}

/** Returns a function that tells whether the processors were idle enough since its last call, at least `pollMs` ago. */
function watchProcessors(): () => boolean {
  let before = readTimes();
  return () => {
    const now = readTimes();
    if (now.at - before.at < pollMs) return false;
    const share = shareIdle(before, now);
    before = now;
    return share >= spareShareMin && process.availableMemory() >= spareBytesMin;
  };
}

/** Starts measuring. The returned function gives the share of all processor time used since, by any program. */
export function measureUse(): () => number {
  const before = readTimes();
  return () => 1 - shareIdle(before, readTimes());
}

type Times = Record<'at' | 'idle' | 'all', number>;

function shareIdle(before: Times, now: Times): number {
  return (now.idle - before.idle) / Math.max(now.all - before.all, 1);
}

function readTimes(): Times {
  const times = cpus().flatMap(cpu => Object.values(cpu.times));
  const idle = cpus().reduce((sum, cpu) => sum + cpu.times.idle, 0);
  return { at: performance.now(), idle, all: times.reduce((sum, time) => sum + time, 0) };
}

/**
 * Embedded files that took half a minute or more on two processors, and the slowest engine suites, slowest first. Started last, they would delay the
 * end of the run.
 */
export const longFiles = [
  'server/tests/operations/migrateTo.engines.ts',
  'server/tests/logs/sharedJournalOutages.engines.ts',
  'packages/metadata-store/tests/postgres.engines.ts',
  'server/tests/logs/sharedJournalRounds.engines.ts',
  'server/tests/logs/logServers.engines.ts',
  'packages/log-store/tests/conformance/oracle.engines.ts',
  'server/tests/logs/logDeletions.engines.ts',
  'server/tests/logs/sharedJournal.engines.ts',
  'server/tests/logs/sharedJournalKills.engines.ts',
  'packages/log-store/tests/conformance/valueCounts.engines.ts',
  'server/tests/logs/logKeys.engines.ts',
  'packages/log-store/tests/conformance/copies.engines.ts',
  'packages/log-store/tests/conformance/backfill.engines.ts',
  'server/tests/http/withoutLegacy.engines.ts',
  'server/tests/logs/growingShards.engines.ts',
  'packages/log-store/tests/conformance/patterns.engines.ts',
  'server/tests/operations/rollingUpgrade.engines.ts',
  'server/tests/files/brokenMoves.engines.ts',
  'server/tests/commands/importLarge.engines.ts',
  'server/tests/files/mediaBesideNginx.engines.ts',
  'server/tests/logs/logNodes.engines.ts',
  'server/tests/files/faultyS3.engines.ts',
  'server/tests/logs/purposefulRemovals.test.ts',
  'server/tests/alerting/ruleTroubles.test.ts',
  'dashboard/tests/accessibility.test.ts',
  'dashboard/tests/homeStates.test.ts',
  'server/tests/alerting/ruleKills.test.ts',
  'dashboard/tests/sharedChanges.test.ts',
  'server/tests/files/previews.test.ts',
  'server/tests/http/eventLoop.test.ts',
  'server/tests/logs/silentClickHouse.test.ts',
  'server/tests/operations/fullDiskUsers.test.ts',
  'dashboard/tests/home.test.ts',
  'server/tests/alerting/ruleLimits.test.ts',
  'packages/log-store/tests/conformance/oracle.test.ts',
  'server/tests/logs/expiredParts.test.ts',
  'dashboard/tests/logSlowProcessor.test.ts',
  'server/tests/operations/watchdog.test.ts',
  'server/tests/ingest/attacks.test.ts',
  'dashboard/tests/logFollowing.test.ts',
  'dashboard/tests/touchTargets.test.ts',
  'server/tests/http/sharedLimits.test.ts',
  'dashboard/tests/alertFiring.test.ts',
  'server/tests/alerting/channelKinds.test.ts',
  'packages/log-store/src/writer/flushing/powerCuts.test.ts',
  'packages/log-store/src/writer/flushing/mergeConcurrency.test.ts',
  'server/tests/loki/lokiMembers.test.ts',
  'server/tests/ingest/forwardChunks.test.ts',
  'server/tests/alerting/ruleKinds.test.ts',
  'server/tests/logs/damagedParts.test.ts',
  'server/tests/loki/lokiTemplates.test.ts',
  'server/tests/loki/lokiPairs.test.ts',
  'packages/log-store/src/queries/subjects/sums/subjectSums.test.ts',
  'packages/log-store/src/intake/intake.test.ts',
  'server/tests/logs/logTailMarks.test.ts',
  'server/tests/alerting/deliveryBounds.test.ts',
  'server/tests/operations/backupKills.test.ts',
  'dashboard/tests/files.test.ts',
  'server/tests/logs/missingParts.test.ts',
  'dashboard/tests/openedDialogs.test.ts',
  'server/tests/logs/logEngineLoss.test.ts',
  'server/tests/alerting/mailChannels.test.ts',
];

export function orderLongestFirst(paths: readonly string[]): string[] {
  const place = (path: string) => (longFiles.includes(path) ? longFiles.indexOf(path) : longFiles.length);
  return paths.toSorted((one, other) => place(one) - place(other));
}

/** Reports a project's usage: exact totals and additions by day. */

import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import { limits } from '../vocabulary.ts';

export type UsageDeps = {
  files: Pick<FileRecords, 'usage' | 'usageByDay'>;
  logQueries: Pick<LogQueries, 'listDatasets' | 'countByDay'>;
  clock: Clock;
};

export type UsageDay = {
  /** Since 1970-01-01, in UTC. */
  day: number;
  files: number;
  bytes: number;
  entries: number;
  /** Entries by dataset. */
  datasets: Map<string, number>;
};

type Usage = {
  totals: { files: number; bytes: number; entries: number; logBytes: number };
  /** Oldest first, without gaps, up to today. */
  days: UsageDay[];
};

export async function readUsage(
  { files, logQueries, clock }: UsageDeps,
  project: string,
  { days: requestedDays, signal }: { days: number; signal: AbortSignal },
): Promise<Usage> {
  const count = Math.min(requestedDays, limits.usageDaysMax);
  const toDay = Math.floor(clock.now() / dayMs);
  const span = { fromDay: toDay - count + 1, toDay };
  const [stored, fileDays, datasets, entryDays] = await Promise.all([
    files.usage(project),
    files.usageByDay(project, span),
    logQueries.listDatasets(project, signal),
    logQueries.countByDay(project, span, signal),
  ]);
  const days = Array.from(
    { length: count },
    (_, index): UsageDay => ({
      day: span.fromDay + index,
      files: 0,
      bytes: 0,
      entries: 0,
      datasets: new Map(),
    }),
  );
  for (const { day, ...counted } of fileDays) Object.assign(days[day - span.fromDay] ?? {}, counted);
  for (const { day, dataset, entries } of entryDays) {
    const found = days[day - span.fromDay];
    if (found === undefined) continue;
    found.entries += entries;
    found.datasets.set(dataset, entries);
  }
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const entries = sum(datasets.map(dataset => dataset.entries));
  const logBytes = sum(datasets.map(dataset => dataset.bytes));
  return { totals: { ...stored, entries, logBytes }, days };
}

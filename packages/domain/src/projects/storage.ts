/**
 * Reports a project's storage by kind, and when it will be full at the current pace. Records the totals daily, because deleted data leaves no
 * other trace.
 */

import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { StorageDay, StoredBytes } from '../ports/storageDays.ts';
import { limits, mediaTypes, type StorageKind } from '../vocabulary.ts';

export type StorageDeps = {
  store: Pick<MetadataStore, 'read' | 'write'>;
  files: Pick<FileRecords, 'usageByType'>;
  logQueries: Pick<LogQueries, 'listStored'>;
  clock: Clock;
};

/** `items`: files, or entries for logs. */
type KindUsage = { items: number; bytes: number };
type KindUsages = Readonly<Record<StorageKind, KindUsage>>;

/** Negative if more is deleted than added. */
type Pace = { sinceAt: number; mediaBytesADay: number; logBytesADay: number };

type Storage = {
  kinds: KindUsages;
  /** Oldest first; only days with a record. */
  days: readonly StorageDay[];
  /** null: too little data yet. */
  pace: Pace | null;
  bytesMax: number | null;
  /** How long the file quota will last; null if there is none, or if usage does not grow. */
  quotaDaysLeft: number | null;
};

const paceDays = 14; // two weeks smooth out weekends and forget older patterns
const paceMsMin = dayMs; // traffic differs between day and night

export async function readStorage(deps: StorageDeps, slug: string, signal: AbortSignal): Promise<Storage> {
  const now = deps.clock.now();
  const fromDay = dayOf(now) - limits.usageDaysDefault + 1;
  const { read } = deps.store;
  const [kinds, days, project] = await Promise.all([
    measureKinds(deps, slug, signal),
    read.storageDays.list({ project: slug, fromDay }),
    read.projects.find(slug),
  ]);
  const bytesMax = project?.bytesMax ?? null;
  const bytes = bytesOf(kinds);
  const pace = measurePace([...days, { ...bytes, at: now }]);
  const freeBytes = bytesMax === null ? null : bytesMax - sumMedia(bytes);
  const quotaDaysLeft = estimateDaysLeft(freeBytes, pace?.mediaBytesADay ?? null);
  return { kinds, days, pace, bytesMax, quotaDaysLeft };
}

/** Computes the pace between the oldest record of the last two weeks and the newest; null if they are less than a day apart. */
export function measurePace(days: readonly (StoredBytes & { at: number })[]): Pace | null {
  const last = days.at(-1);
  if (last === undefined) return null;
  const first = days.find(({ at }) => at > last.at - paceDays * dayMs - dayMs / 2) ?? last;
  const spanMs = last.at - first.at;
  if (spanMs < paceMsMin) return null;
  const aDay = (grown: number) => Math.round((grown * dayMs) / spanMs);
  return {
    sinceAt: first.at,
    mediaBytesADay: aDay(sumMedia(last) - sumMedia(first)),
    logBytesADay: aDay(last.logs - first.logs),
  };
}

/** null: no limit, unknown pace, or not filling. */
export function estimateDaysLeft(freeBytes: number | null, bytesADay: number | null): number | null {
  if (freeBytes === null) return null;
  if (freeBytes <= 0) return 0;
  return bytesADay === null || bytesADay <= 0 ? null : freeBytes / bytesADay;
}

/** Sums up the growth of all projects. Each is measured over its own days, because some are younger. */
export async function readPaceOfAll({
  store,
  clock,
}: {
  store: Pick<MetadataStore, 'read'>;
  clock: Clock;
}): Promise<Pace | null> {
  const fromDay = dayOf(clock.now()) - paceDays;
  const byProject = Map.groupBy(
    await store.read.storageDays.list({ project: null, fromDay }),
    ({ project }) => project,
  );
  const paces = [...byProject.values()].map(measurePace).filter(pace => pace !== null);
  if (paces.length === 0) return null;
  return paces.reduce((sum, pace) => ({
    sinceAt: Math.min(sum.sinceAt, pace.sinceAt),
    mediaBytesADay: sum.mediaBytesADay + pace.mediaBytesADay,
    logBytesADay: sum.logBytesADay + pace.logBytesADay,
  }));
}

/** Records projects without a record for today, so later calls that day do almost nothing. */
export async function recordStorage(deps: StorageDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const day = dayOf(clock.now());
  const noted = new Set(
    (await store.read.storageDays.list({ project: null, fromDay: day })).map(({ project }) => project),
  );
  const projects = (await store.read.projects.list()).map(({ slug }) => slug);
  const due = projects.filter(slug => !noted.has(slug));
  if (due.length === 0) return;
  await store.write(({ storageDays }) => storageDays.removeBefore(day - limits.usageDaysMax));
  for (const project of due) {
    signal.throwIfAborted();
    const bytes = bytesOf(await measureKinds(deps, project, signal));
    await store.write(({ storageDays }) => storageDays.note({ project, day, at: clock.now(), ...bytes }));
  }
}

async function measureKinds(
  { files, logQueries }: Pick<StorageDeps, 'files' | 'logQueries'>,
  project: string,
  signal: AbortSignal,
): Promise<KindUsages> {
  const [usages, datasets] = await Promise.all([
    files.usageByType(project),
    logQueries.listStored(project, signal),
  ]);
  const usageOf = (type: (typeof mediaTypes)[number]): KindUsage => {
    const { files: items, bytes } = usages.get(type) ?? { files: 0, bytes: 0 };
    return { items, bytes };
  };
  const logs = { items: 0, bytes: 0 };
  for (const { entries, bytes } of datasets) {
    logs.items += entries;
    logs.bytes += bytes;
  }
  return { image: usageOf('image'), video: usageOf('video'), audio: usageOf('audio'), logs };
}

function bytesOf({ image, video, audio, logs }: KindUsages): StoredBytes {
  return { image: image.bytes, video: video.bytes, audio: audio.bytes, logs: logs.bytes };
}

function sumMedia(bytes: StoredBytes): number {
  return mediaTypes.reduce((sum, type) => sum + bytes[type], 0);
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

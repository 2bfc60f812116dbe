/** Computes volumes of selectors: entries, bytes, and the bytes per value of given labels. */

import { takeTurns } from '@tapedeck/concurrency/turns';
import type { LogFilter, LogWindowsQuestion, SplitWindows } from '@tapedeck/log-entries';
import {
  keyOfLabels,
  type Label,
  LogqlMistake,
  type Matcher,
  type Series,
  type Steps,
  sortLabels,
} from '@tapedeck/logql';
import { composeSplit } from './composedLabels.ts';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import { streamFields, streamLabels, unknownService } from './lineLabels.ts';
import type { LokiDeps } from './lists.ts';

const rankedAtOnce = 1_000; // sorting them takes a millisecond
const pointsMax = 200_000; // for all label values together, before choosing the largest

export type VolumeQuestion = {
  matchers: readonly Matcher[];
  scope: LogFilter;
  steps: Steps;
  /** Empty: the labels of the selector. */
  labels: readonly string[];
  /** Whether to count labels rather than their values. */
  isByName: boolean;
  limit: number;
};

type Statistics = { streams: number; chunks: number; entries: number; bytes: number };

/** Counts entries and bytes exactly, and streams up to a limit. The store has no chunks, so each stream counts as one. */
export async function countSelected(
  deps: LokiDeps,
  { matchers, scope }: Pick<VolumeQuestion, 'matchers' | 'scope'>,
  signal: AbortSignal,
): Promise<Statistics> {
  const condition = await composeSelector(matchers, openLabelFields(deps, scope, signal));
  const rangeMicros = (scope.toMicros ?? 0) - (scope.fromMicros ?? 0) + 1;
  if (rangeMicros <= 0) return { streams: 0, chunks: 0, entries: 0, bytes: 0 };
  const windows = { firstMicros: scope.toMicros ?? 0, stepMicros: rangeMicros, rangeMicros, count: 1 };
  const ask = (statistic: 'count' | 'bytes', by: LogWindowsQuestion['by']) =>
    deps.logQueries.findWindows(
      { ...scope, condition },
      { windows, by, apart: null, measure: { statistic }, pointsMax },
      signal,
    );
  const [splits, bytes] = await Promise.all([ask('count', streamFields), ask('bytes', [])]);
  // Without grouping, the query never exceeds the limit.
  const entries = splits ?? (await ask('count', [])) ?? [];
  const streams = splits?.length ?? pointsMax;
  return { streams, chunks: streams, entries: addUp(entries), bytes: addUp(bytes ?? []) };
}

function addUp(splits: readonly Pick<SplitWindows, 'points'>[]): number {
  return splits.reduce((total, { points }) => total + points.reduce((sum, [, value]) => sum + value, 0), 0);
}

type Volume = { labels: readonly Label[]; points: SplitWindows['points'] };

/** Returns the largest volumes first. */
export async function findVolumes(
  deps: LokiDeps,
  question: VolumeQuestion,
  signal: AbortSignal,
): Promise<Series[]> {
  const { matchers, scope, steps, isByName, limit } = question;
  const fields = openLabelFields(deps, scope, signal);
  const condition = await composeSelector([...matchers, ...requireTargets(question)], fields);
  const labels = chooseLabels(question);
  const windows = { ...steps, rangeMicros: steps.stepMicros };
  const filter = { ...scope, condition };
  const ask = async (names: readonly string[]): Promise<Volume[]> => {
    const by = await Promise.all(names.map(async name => composeSplit(await fields.find(name))));
    const asked = { windows, by, apart: null, measure: { statistic: 'bytes' }, pointsMax } as const;
    const splits = await deps.logQueries.findWindows(filter, asked, signal);
    if (splits === null) throw tooManyVolumes();
    return readVolumes(names, splits);
  };
  const found = isByName ? await measureEach(labels, ask) : await ask(labels);
  const isNamed = ({ labels: own }: Volume) => own.length > 0 || labels.length === 0;
  return (await chooseLargest(found.filter(isNamed), limit)).map(volume => spreadOut(volume, steps));
}

/** In turns, because there may be 200,000 volumes. */
async function readVolumes(names: readonly string[], splits: readonly SplitWindows[]): Promise<Volume[]> {
  const takeTurn = takeTurns();
  const volumes: Volume[] = [];
  for (const split of splits) {
    volumes.push(readVolume(names, split));
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  return volumes;
}

type Ranked = Volume & { total: number; key: string };

/** Sorts by total, and equal totals by labels. Sorts only a few at a time, so that other requests do not wait. */
async function chooseLargest(volumes: readonly Volume[], limit: number): Promise<Ranked[]> {
  const takeTurn = takeTurns();
  let largest: Ranked[] = [];
  const cut = () => {
    largest.sort((one, other) => other.total - one.total || (one.key < other.key ? -1 : 1));
    largest = largest.slice(0, limit);
  };
  for (const volume of volumes) {
    const ranked = { ...volume, total: addUp([volume]), key: keyOfLabels(volume.labels) };
    if (largest.push(ranked) >= limit + rankedAtOnce) cut();
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  cut();
  return largest;
}

function tooManyVolumes(): LogqlMistake {
  return new LogqlMistake(
    `the volumes would come to more than ${pointsMax} points; ask for other targetLabels, a narrower query, a longer step or a shorter time`,
  );
}

/** Loki counts only entries that have all requested labels. */
function requireTargets({ labels, matchers }: VolumeQuestion): Matcher[] {
  const others = labels.filter(label => matchers.every(({ name }) => name !== label));
  return others.map(name => ({ name, operator: '=~', value: '.+' }));
}

function chooseLabels({ labels, matchers, isByName }: VolumeQuestion): readonly string[] {
  if (labels.length > 0) return labels;
  const asked = [...new Set(matchers.map(({ name }) => name))];
  return asked.length > 0 && !isByName ? asked : [...streamLabels];
}

/** Measures the entries that have each label, and lists them under its name without a value. */
async function measureEach(
  labels: readonly string[],
  ask: (names: string[]) => Promise<Volume[]>,
): Promise<Volume[]> {
  const found: Volume[] = [];
  for (const label of labels) {
    const values = (await ask([label])).filter(volume => volume.labels.length > 0);
    const sums = new Map<number, number>();
    for (const { points } of values)
      for (const [step, value] of points) sums.set(step, (sums.get(step) ?? 0) + value);
    if (sums.size > 0) found.push({ labels: [[label, '']], points: [...sums] });
  }
  return found;
}

function readVolume(names: readonly string[], { values, points }: SplitWindows): Volume {
  const labels = names.map((name, index) => {
    const value = values[index] ?? '';
    return [name, name === 'service_name' && value === '' ? unknownService : value] as const;
  });
  return { labels: sortLabels(labels), points };
}

/** Fills in every step. Only for series in the answer: all steps of all series would not fit into memory. */
function spreadOut({ labels, points }: Volume, { count }: Steps): Series {
  const all = Array<number | null>(count).fill(null);
  for (const [step, value] of points) all[step] = value;
  return { labels: sortLabels(labels), points: all };
}

/** The types of queries about subjects (players, vehicles and others), which entries name at metadata paths. */
import type { LogLevel } from './levels.ts';

/** Metadata paths of a subject's id and of its name. */
export type SubjectPaths = { idPaths: readonly string[]; namePaths: readonly string[] };

/** First and last time, Unix microseconds. */
export type TimesUsed = { firstMicros: number; lastMicros: number };

/** Includes further times. */
export function widenTimes(times: TimesUsed | undefined, { firstMicros, lastMicros }: TimesUsed): TimesUsed {
  return {
    firstMicros: Math.min(times?.firstMicros ?? firstMicros, firstMicros),
    lastMicros: Math.max(times?.lastMicros ?? lastMicros, lastMicros),
  };
}

/** One source's totals for a subject. An entry whose paths name it twice counts once. */
export type SubjectSum = TimesUsed & { count: number; names: ReadonlyMap<string, TimesUsed> };

/** Subjects by id. Empty ids and names do not count. */
export type SubjectList = ReadonlyMap<string, SubjectSum>;

/** Lists the paths whose values a subject's page shows. */
export function listShownPaths({ idPaths, namePaths }: SubjectPaths): string[] {
  return [...new Set([...namePaths, ...idPaths])];
}

/** Asks about the entries that have the id at one of `idPaths`. The answer lists the values at all paths, with their times. */
export type LogProfileQuestion = {
  paths: SubjectPaths;
  id: string;
  /** Limits both values, keeping the latest, and resources, keeping the most frequent. */
  valuesMax: number;
};

/** Totals over all matches. */
export type LogProfile = TimesUsed & {
  entries: number;
  levels: Readonly<Record<LogLevel, number>>;
  /** The most frequent first, without the empty resource. */
  resources: readonly { resource: string; entries: number }[];
  /** Entries by hour of the week (168), from Monday at midnight UTC. */
  hours: readonly number[];
  /** Most recently used first, without empty texts. */
  values: readonly (TimesUsed & { path: string; value: string })[];
};

/** Questions about subjects that entries name: players, vehicles and others, by paths in the metadata. */
import type { LogLevel } from './levels.ts';

/** The paths that hold the id of a subject, and those that hold its name. */
export type SubjectPaths = { idPaths: readonly string[]; namePaths: readonly string[] };

/** First and last time, Unix microseconds. */
export type TimesUsed = { firstMicros: number; lastMicros: number };

/** One source's totals for a subject. An entry whose paths name it twice counts once. */
export type SubjectSum = TimesUsed & { count: number; names: ReadonlyMap<string, TimesUsed> };

/** Subjects by id. Empty ids and names are none. */
export type SubjectDirectory = ReadonlyMap<string, SubjectSum>;

/** The paths whose texts a page of a subject tells. */
export function listToldPaths({ idPaths, namePaths }: SubjectPaths): string[] {
  return [...new Set([...namePaths, ...idPaths])];
}

/** Asks for the entries that have the id at one of the kind's paths. Texts at its paths are told, each with its times. */
export type LogProfileQuestion = {
  paths: SubjectPaths;
  id: string;
  /** Limits both texts and resources; the latest or most frequent ones are kept. */
  valuesMax: number;
};

/** Totals over all matches. */
export type LogProfile = TimesUsed & {
  entries: number;
  levels: Readonly<Record<LogLevel, number>>;
  /** The most frequent first; an empty resource is none. */
  resources: readonly { resource: string; entries: number }[];
  /** By hour of the week in UTC, from Monday at midnight: 168. */
  hours: readonly number[];
  /** Most recently used first, without empty texts. */
  values: readonly (TimesUsed & { path: string; value: string })[];
};

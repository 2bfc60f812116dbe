/** A filter becomes the conditions of a statement. Every value is bound by the engine; none is written into the text. */

import { type LogFilter, type LogOrder, parseTraceId } from '@tapedeck/log-entries';
import { foldColumn, pairsOfMetadata } from '../schema/schema.ts';
import type { Parameters } from './statements.ts';

/** Collects the values of a statement; `bind` returns the placeholder of the value in the text. */
export class Binder {
  readonly #values: Record<string, string> = {};
  #count = 0;

  get parameters(): Parameters {
    return this.#values;
  }

  bind(type: string, value: string | number): string {
    const name = `p${this.#count++}`;
    this.#values[name] = String(value);
    return `{${name}:${type}}`;
  }

  /** Only for words that hold no quote or backslash: levels, slugs of projects, and names of datasets and parts. */
  bindWords(words: readonly string[]): string {
    return this.bind('Array(String)', `[${words.map(word => `'${word}'`).join(',')}]`);
  }
}

export function formatConditions(filter: LogFilter, binder: Binder): string {
  const conditions = [
    `project = ${binder.bind('String', filter.project)}`,
    ...formatDatasets(filter.datasets, binder),
    ...formatTimes(filter, binder),
    ...(filter.levels === null ? [] : [`level IN ${binder.bindWords(filter.levels)}`]),
    ...(filter.resource === null ? [] : [`resource = ${binder.bind('String', filter.resource)}`]),
    ...(filter.parentId === null ? [] : [`parentId = ${binder.bind('String', filter.parentId)}`]),
    ...filter.bodyTerms.flatMap(term => formatBodyTerm(term, binder)),
    ...filter.textTerms.map(term => formatTextTerm(term, binder)),
    ...filter.metadata.flatMap(({ path, value }) => formatPair(path, value, binder)),
  ];
  return conditions.join(' AND ');
}

/** True when nothing narrows the question but what the key of the table is made of: project, dataset and time. */
export function asksByKeyAlone(filter: LogFilter): boolean {
  const { levels, resource, parentId, bodyTerms, textTerms, metadata } = filter;
  if (levels !== null || resource !== null || parentId !== null) return false;
  return bodyTerms.length + textTerms.length + metadata.length === 0;
}

/** Entries that follow a place in the order; the first half of the condition is for the primary key. */
export function formatAfter(traceId: string, order: LogOrder, binder: Binder): string {
  const halves = parseTraceId(traceId);
  if (halves === null) return '0';
  const [atMost, less] = order === 'desc' ? ['<=', '<'] : ['>=', '>'];
  const time = bindMicros(halves.timestampMicros, binder);
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `timestamp ${atMost} ${time} AND (timestamp ${less} ${time} OR identity ${less} ${identity})`;
}

// DateTime64 reaches further, but no entry is older than 1970 or later than a day ahead.
const microsMin = 0;
const microsMax = Number.MAX_SAFE_INTEGER;

export function bindMicros(micros: number, binder: Binder): string {
  const within = Math.min(Math.max(micros, microsMin), microsMax);
  return `fromUnixTimestamp64Micro(${binder.bind('Int64', within)}, 'UTC')`;
}

function formatDatasets(datasets: readonly string[] | null, binder: Binder): string[] {
  if (datasets === null) return [];
  const [only] = datasets;
  // Equality lets the engine read in the order of the key.
  if (datasets.length === 1 && only !== undefined) return [`dataset = ${binder.bind('String', only)}`];
  return datasets.length === 0 ? ['0'] : [`dataset IN ${binder.bindWords(datasets)}`];
}

function formatTimes({ fromMicros, toMicros }: LogFilter, binder: Binder): string[] {
  return [
    ...(fromMicros === null ? [] : [`timestamp >= ${bindMicros(fromMicros, binder)}`]),
    ...(toMicros === null
      ? []
      : toMicros < microsMin
        ? ['0']
        : [`timestamp <= ${bindMicros(toMicros, binder)}`]),
  ];
}

const lettersPattern = /^[a-z]+$/;
const hintLettersMin = 3; // shorter runs occur nearly everywhere
const hintsMax = 2; // the longest narrow down most

/** Terms of letters alone are answered by the index alone; others are narrowed down by the letters they hold. */
function formatBodyTerm(term: string, binder: Binder): string[] {
  if (lettersPattern.test(term)) return [`letters LIKE ${bindPattern(term, binder)}`];
  const runs = (term.match(/[a-z]+/g) ?? []).filter(run => run.length >= hintLettersMin);
  const hints = runs.sort((one, other) => other.length - one.length).slice(0, hintsMax);
  return [
    ...hints.map(run => `letters LIKE ${bindPattern(run, binder)}`),
    `folded LIKE ${bindPattern(term, binder)}`,
  ];
}

function formatTextTerm(term: string, binder: Binder): string {
  const pattern = bindPattern(term, binder);
  const inBody = lettersPattern.test(term) ? `letters LIKE ${pattern}` : `folded LIKE ${pattern}`;
  // The values are looked at joined by NUL: a term that holds one is looked for in each by itself.
  const inValues = term.includes('\0')
    ? `arrayExists(value -> ${foldColumn('value')} LIKE ${pattern}, mapValues(metadata))`
    : `foldedValues LIKE ${pattern}`;
  return `(${inBody} OR ${inValues})`;
}

function bindPattern(term: string, binder: Binder): string {
  return binder.bind('String', `%${term.replace(/[\\%_]/g, '\\$&')}%`);
}

/** The hint makes the engine skip granules by its index; the rest decides. Computed columns have no effect in a hint. */
function formatPair(path: string, value: string, binder: Binder): string[] {
  const read = formatPath(path, binder);
  return [
    `indexHint(has(${pairsOfMetadata}, ${binder.bind('String', `${path}\0${value}`)}))`,
    // A path that is absent reads as ''.
    ...(value === '' ? [read.isPresent] : []),
    `${read.value} = ${binder.bind('String', value)}`,
  ];
}

/** How the value at a path is read, `''` when there is none, and whether there is one. */
export function formatPath(path: string, binder: Binder): { value: string; isPresent: string } {
  if (path === '') {
    // The engine takes an empty key for an absent one when it looks it up in a Map of LowCardinality keys (26.7).
    const value = "arrayFirst((value, path) -> path = '', mapValues(metadata), mapKeys(metadata))";
    return { value, isPresent: "arrayExists(path -> path = '', mapKeys(metadata))" };
  }
  const key = binder.bind('String', path);
  return { value: `metadata[${key}]`, isPresent: `mapContainsKey(metadata, ${key})` };
}

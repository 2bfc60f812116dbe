/**
 * Finds the templates of patterns. Any entry with a pattern yields its template, so one entry is read for each, and the result is cached:
 * it never changes.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { findPattern, parseTemplate, tracebackHeading } from '@tapedeck/log-patterns';
import type { Binder, Row } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import { patternText } from './fields.ts';
import { MergeMemo } from './mergedPatternCache.ts';
import { MergingThread } from './mergingThread.ts';
import { bindPatterns, bindTimes } from './patternDigits.ts';

/** `paths`: of the metadata whose values the template has places for. */
type Described = { template: string; paths: readonly string[] };
type Wanted = { pattern: string; lastMicros: number };
export type Sample = { body: string; metadata: Readonly<Record<string, string>> };

/** A template depends on so much of a body, as those of rare bodies with very long words are not merged. */
export const templateBodyBytesMax = 4_096;
const nameBytesMax = 256; // longer values are no names

const rememberedMax = 120_000; // of all projects, some 50 MB of usual lines

/** Equal digits mean equal templates, in every project. */
export class PatternTemplates {
  readonly #known = new Map<string, Described>();
  readonly merged = new MergeMemo();
  readonly merging = new MergingThread();

  get(pattern: string): Described | undefined {
    return this.#known.get(pattern);
  }

  /** null: the pattern was not computed from this. What was found first is forgotten first. */
  describe(pattern: string, sample: Sample): Described | null {
    const known = this.#known.get(pattern);
    if (known !== undefined) return known;
    const found = describeSample(pattern, sample);
    if (found === null) return null;
    if (this.#known.size >= rememberedMax) {
      const [oldest = ''] = this.#known.keys();
      this.#known.delete(oldest);
    }
    this.#known.set(pattern, found);
    return found;
  }
}

/** Digits show which entries were stored by the rules of version 1. */
function describeSample(pattern: string, { body, metadata }: Sample): Described | null {
  const plain = findPattern(body);
  if (plain.pattern === pattern) return { template: plain.template, paths: [] };
  const named = findPattern(body, metadata);
  if (named.pattern !== pattern) return null;
  const parts = parseTemplate(named.template, Object.keys(metadata));
  const paths = parts.flatMap(part => (part.kind === 'path' ? [part.path] : []));
  return { template: named.template, paths: [...new Set(paths)] };
}

type SampleQuestion = {
  table: string;
  filter: LogFilter;
  wanted: readonly Wanted[];
  bodyBytesMax: number | null;
};

/** The last entry of each: the key leads to it. Of its metadata what may be a name in the body. */
export function formatSamples(
  { table, filter, wanted, bodyBytesMax }: SampleQuestion,
  binder: Binder,
): string {
  // What was raised stands at the end of a traceback.
  const start = `if(startsWith(body, '${tracebackHeading}'), body, substring(body, 1, ${bodyBytesMax}))`;
  const text = bodyBytesMax === null ? 'body' : start;
  const names = `mapFilter((path, value) -> length(value) BETWEEN 2 AND ${nameBytesMax} AND position(body, trimBoth(value)) > 0, metadata)`;
  return `SELECT ${patternText}, sample.1, sample.2, sample.3 FROM (
    SELECT pattern, any((${text}, mapKeys(${names}), mapValues(${names}))) AS sample
    FROM ${table} WHERE ${formatConditions(filter, binder)}
      AND timestamp IN ${bindTimes(
        wanted.map(({ lastMicros }) => lastMicros),
        binder,
      )}
      AND pattern IN ${bindPatterns(
        wanted.map(({ pattern }) => pattern),
        binder,
      )} GROUP BY pattern)`;
}

export function readSamples(rows: readonly Row[]): Map<string, Sample> {
  const samples = new Map<string, Sample>();
  for (const [pattern, body, paths, values] of rows as readonly [string, string, string[], string[]][]) // as selected
    samples.set(pattern, {
      body,
      metadata: Object.fromEntries(paths.map((path, index) => [path, values[index] ?? ''])),
    });
  return samples;
}

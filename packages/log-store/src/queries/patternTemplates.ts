/**
 * Finds the templates of patterns. Any entry with a pattern yields its template, so this reads one entry for each and caches the result,
 * which never changes.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { findPattern, parseTemplate, tracebackHeading } from '@tapedeck/log-patterns';
import type { Binder, Row } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import { patternText } from './fields.ts';
import { MergeMemo } from './mergedPatternCache.ts';
import { MergingThread } from './mergingThread.ts';
import { bindPatterns, bindTimes } from './patternDigits.ts';

/** `paths`: the metadata paths that the template names. */
type Described = { template: string; paths: readonly string[] };
type Wanted = { pattern: string; lastMicros: number };
export type Sample = { body: string; metadata: Readonly<Record<string, string>> };

/** Only this much of a body decides its template. Rare bodies with very long words are not merged. */
export const templateBodyBytesMax = 4_096;
const nameBytesMax = 256; // longer values are not names

const rememberedMax = 120_000; // for all projects, about 50 MB with usual lines

/** Caches templates by pattern for all projects: equal digits mean equal templates. */
export class PatternTemplates {
  readonly #known = new Map<string, Described>();
  readonly merged = new MergeMemo();
  readonly merging = new MergingThread();

  get(pattern: string): Described | undefined {
    return this.#known.get(pattern);
  }

  /** Finds the template from a sample; null if the pattern does not belong to it. The oldest templates leave the cache first. */
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

/** The digits show whether the rules of version 1 apply. */
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

/** Selects the last entry of each pattern by key, with metadata that may be a name in the body. */
export function formatSamples(
  { table, filter, wanted, bodyBytesMax }: SampleQuestion,
  binder: Binder,
): string {
  // Tracebacks are not cut, because the exception is at their end.
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
  for (const [pattern, body, paths, values] of rows as readonly [string, string, string[], string[]][]) // matches the SELECT
    samples.set(pattern, {
      body,
      metadata: Object.fromEntries(paths.map((path, index) => [path, values[index] ?? ''])),
    });
  return samples;
}

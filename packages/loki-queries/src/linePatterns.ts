/** Finds patterns, whose lines differ only in numbers and names, and prints them in the syntax of line filters. */

import { type LogFilter, type LogLevel, logLevels } from '@tapedeck/log-entries';
import { allOf, type Condition } from '@tapedeck/log-query-language';
import type { Matcher, Steps } from '@tapedeck/logql';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import type { LokiDeps } from './lists.ts';

const patternsMax = 100; // CONTRACT.md, 9.3

type LinePattern = { pattern: string; level: string; samples: [seconds: number, entries: number][] };

type PatternQuestion = { matchers: readonly Matcher[]; scope: LogFilter; steps: Steps };

/** Returns each pattern once for each of its levels. */
export async function findLinePatterns(
  deps: LokiDeps,
  { matchers, scope, steps }: PatternQuestion,
  signal: AbortSignal,
): Promise<LinePattern[]> {
  const condition = await composeSelector(matchers, openLabelFields(deps, scope, signal));
  const ask = (asked: Condition) =>
    findStoredPatterns(deps, { scope: { ...scope, condition: asked }, steps }, signal);
  const found = await ask(condition);
  const levels = new Set(found.flatMap(each => each.levels));
  if (found.every(each => each.levels.length === 1)) return joinEqual(found.map(nameFirstLevel));
  const byLevel = await Promise.all(
    logLevels.filter(level => levels.has(level)).map(level => ask(narrow(condition, level))),
  );
  return joinEqual(byLevel.flat().map(nameFirstLevel)).sort(
    (one, other) => countSamples(other) - countSamples(one),
  );
}

/** Joins patterns that differ only in the kinds of their placeholders. */
function joinEqual(patterns: readonly LinePattern[]): LinePattern[] {
  const groups = Map.groupBy(patterns, ({ pattern, level }) => JSON.stringify([level, pattern]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const sums = new Map<number, number>();
    for (const { samples } of [first, ...others])
      for (const [seconds, entries] of samples) sums.set(seconds, (sums.get(seconds) ?? 0) + entries);
    return { ...first, samples: [...sums].sort(([one], [other]) => one - other) };
  });
}

function narrow(condition: Condition, level: LogLevel): Condition {
  const ofLevel: Condition = { kind: 'level', levels: [level] };
  return condition.kind === 'everything' ? ofLevel : allOf([condition, ofLevel]);
}

type FoundPattern = Omit<LinePattern, 'level'> & { levels: readonly string[] };

function nameFirstLevel({ pattern, levels: [level = ''], samples }: FoundPattern): LinePattern {
  return { pattern, level, samples };
}

function countSamples({ samples }: LinePattern): number {
  return samples.reduce((total, [, entries]) => total + entries, 0);
}

async function findStoredPatterns(
  { logQueries }: LokiDeps,
  { scope, steps }: Omit<PatternQuestion, 'matchers'>,
  signal: AbortSignal,
): Promise<FoundPattern[]> {
  const { firstMicros, stepMicros, count } = steps;
  const buckets = { startMicros: firstMicros, intervalMicros: stepMicros, count };
  const question = { buckets, isNew: false, limit: patternsMax };
  const { patterns } = await logQueries.findPatterns(scope, question, signal);
  return patterns.map(({ template, paths, counts, sample, levels }) => ({
    pattern: convertTemplate(template, { paths, sample }),
    levels: logLevels.filter(level => (levels[level] ?? 0) > 0),
    samples: counts.flatMap((entries, index): [number, number][] =>
      entries === 0 ? [] : [[(firstMicros + index * stepMicros) / 1e6, entries]],
    ),
  }));
}

/** Line filters reject named captures, so bracketed names from the line itself become placeholders, too. */
const named = /<(?:\*|[\p{L}_][\p{L}\p{Nd}_]*)>/gu;

/** Prints a template for `|>` with unnamed placeholders, never two in a row. Omitted text becomes a placeholder, too. */
function convertTemplate(
  template: string,
  { paths, sample }: { paths: readonly string[]; sample: string },
): string {
  const isCut = template.endsWith('…') || /[\r\n]/.test(sample);
  const marked = template.replace(/…$/, '') + (isCut ? '<_>' : '');
  // In a template, paths in brackets have `<`, `>` and `\` escaped (`log-patterns`).
  const unnamed = paths.reduce(
    (text, path) => text.replaceAll(`<${path.replaceAll(/[<>\\]/g, '\\$&')}>`, '<_>'),
    marked,
  );
  return unnamed.replaceAll(named, '<_>').replaceAll(/(?:<_>){2,}/g, '<_>');
}

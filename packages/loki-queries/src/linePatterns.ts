/** Finds patterns of lines, which differ only in numbers and names, in the syntax of line filters. */

import { type LogFilter, type LogLevel, logLevels } from '@tapedeck/log-entries';
import { allOf, type Condition } from '@tapedeck/log-query-language';
import type { Matcher, Steps } from '@tapedeck/logql';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import type { LokiDeps } from './lists.ts';

const patternsMax = 100; // CONTRACT.md, 9.3

type LinePattern = { pattern: string; level: string; samples: [seconds: number, entries: number][] };

type PatternQuestion = { matchers: readonly Matcher[]; scope: LogFilter; steps: Steps };

/** Each pattern once for each level that it has. */
export async function findLinePatterns(
  deps: LokiDeps,
  { matchers, scope, steps }: PatternQuestion,
  signal: AbortSignal,
): Promise<LinePattern[]> {
  const condition = await composeSelector(matchers, openLabelFields(deps, scope, signal));
  const ask = (asked: Condition) =>
    askPatterns(deps, { scope: { ...scope, condition: asked }, steps }, signal);
  const found = await ask(condition);
  const levels = new Set(found.flatMap(each => each.levels));
  if (found.every(each => each.levels.length === 1)) return found.map(tellLevel);
  const byLevel = await Promise.all(
    logLevels.filter(level => levels.has(level)).map(level => ask(narrow(condition, level))),
  );
  return byLevel
    .flat()
    .sort((one, other) => countSamples(other) - countSamples(one))
    .map(tellLevel);
}

function narrow(condition: Condition, level: LogLevel): Condition {
  const ofLevel: Condition = { kind: 'level', levels: [level] };
  return condition.kind === 'everything' ? ofLevel : allOf([condition, ofLevel]);
}

type FoundPattern = Omit<LinePattern, 'level'> & { levels: readonly string[] };

function tellLevel({ pattern, levels: [level = ''], samples }: FoundPattern): LinePattern {
  return { pattern, level, samples };
}

function countSamples({ samples }: FoundPattern): number {
  return samples.reduce((total, [, entries]) => total + entries, 0);
}

async function askPatterns(
  { logQueries }: LokiDeps,
  { scope, steps }: Omit<PatternQuestion, 'matchers'>,
  signal: AbortSignal,
): Promise<FoundPattern[]> {
  const { firstMicros, stepMicros, count } = steps;
  const buckets = { startMicros: firstMicros, intervalMicros: stepMicros, count };
  const question = { buckets, isNew: false, limit: patternsMax };
  const { patterns } = await logQueries.findPatterns(scope, question, signal);
  return patterns.map(({ template, counts, sample, levels }) => ({
    pattern: spellTemplate(template, sample),
    levels: logLevels.filter(level => (levels[level] ?? 0) > 0),
    samples: counts.flatMap((entries, index): [number, number][] =>
      entries === 0 ? [] : [[(firstMicros + index * stepMicros) / 1e6, entries]],
    ),
  }));
}

/** Writes a template for `|>`: unnamed placeholders, never two side by side. Omitted text becomes one, too. */
function spellTemplate(template: string, sample: string): string {
  const isCut = template.endsWith('…') || /[\r\n]/.test(sample);
  const marked = template.replace(/…$/, '') + (isCut ? '<_>' : '');
  return marked.replaceAll(/<(?:n|hex|uuid|ip|mac|time|id|_)>/g, '<_>').replaceAll(/(?:<_>){2,}/g, '<_>');
}

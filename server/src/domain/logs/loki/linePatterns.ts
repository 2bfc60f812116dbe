/** What lines say the same but for numbers and names, in the spelling of line filters. */
import type { Matcher, Steps } from '@tapedeck/logql';
import { limits } from '../../../vocabulary.ts';
import type { LogFilter } from '../../ports/logQueries.ts';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import type { LokiDeps } from './lists.ts';

type LinePattern = { pattern: string; samples: [seconds: number, entries: number][] };

export async function findLinePatterns(
  deps: LokiDeps,
  { matchers, scope, steps }: { matchers: readonly Matcher[]; scope: LogFilter; steps: Steps },
  signal: AbortSignal,
): Promise<LinePattern[]> {
  const condition = await composeSelector(matchers, openLabelFields(deps, scope, signal));
  const { firstMicros, stepMicros, count } = steps;
  const buckets = { startMicros: firstMicros, intervalMicros: stepMicros, count };
  const question = { buckets, isNew: false, limit: limits.logPatternsMax };
  const { patterns } = await deps.logQueries.findPatterns({ ...scope, condition }, question, signal);
  return patterns.map(({ template, counts, sample }) => ({
    pattern: spellTemplate(template, sample),
    samples: counts.flatMap((entries, index): [number, number][] =>
      entries === 0 ? [] : [[(firstMicros + index * stepMicros) / 1e6, entries]],
    ),
  }));
}

/** As `|>` takes it: placeholders without names, of which no two stand side by side. What a template leaves out is one, too. */
function spellTemplate(template: string, sample: string): string {
  const isCut = template.endsWith('…') || /[\r\n]/.test(sample);
  const marked = template.replace(/…$/, '') + (isCut ? '<_>' : '');
  return marked.replaceAll(/<(?:n|hex|uuid|ip|mac|time|id|_)>/g, '<_>').replaceAll(/(?:<_>){2,}/g, '<_>');
}

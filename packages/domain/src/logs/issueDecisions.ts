/**
 * Finds the decision about an issue. New patterns can change which patterns merge. So a decision about a merged issue covers every pattern
 * that fits its template, and a merged issue counts as decided once each of its patterns is.
 */
import { createHash } from 'node:crypto';
import { compileTemplate } from '@tapedeck/log-patterns';
import type { IssueDecision } from '../ports/issues.ts';
import type { FoundPatterns } from '../ports/logQueries.ts';

type Pattern = Pick<FoundPatterns['patterns'][number], 'merged' | 'patterns' | 'template'>;

const digitsCount = 16; // as in a pattern

/** Identifies a merged issue by 16 hexadecimal digits. */
export function digestTemplate(template: string): string {
  return createHash('sha256').update(template).digest('hex').slice(0, digitsCount);
}

/** Finds the last decision that covers the whole issue; null: none. */
export function compileDecisions(
  decisions: readonly IssueDecision[],
): (issue: Pattern) => IssueDecision | null {
  const single = new Map(decisions.map(decision => [decision.pattern, decision]));
  const merged = decisions.filter(({ pattern }) => isMerged(pattern));
  const wide = merged.map(decision => ({ decision, fits: compileTemplate(decision.pattern) }));
  return ({ patterns, template }) => {
    const own = patterns.map(pattern => single.get(pattern));
    const each = own.includes(undefined) ? [] : own.filter(decision => decision !== undefined);
    const matching = wide.filter(({ decision, fits }) => decision.pattern === template || fits(template));
    const holding = [...each, ...matching.map(({ decision }) => decision)];
    const [last = null] = holding.toSorted((one, other) => other.decidedAt - one.decidedAt);
    return last?.state === 'open' ? null : last;
  };
}

export function isMerged(pattern: string): boolean {
  return pattern.includes('<*>');
}

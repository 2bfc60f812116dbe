/** Composes the search for what a rule saw at a moment. */
import type { Rule } from '../../../queries/rules.ts';
import { toggleOnly } from '../../logs/queryFilters.ts';
import type { LogSearch } from '../../logs/search.ts';
import { firesByPattern } from '../ruleState.ts';

type Seen = Pick<Rule, 'kind' | 'query' | 'dataset' | 'by' | 'windowSeconds'>;

/** Returns null for rules without entries. A pattern counts as a value. */
export function searchAtMoment(
  rule: Seen,
  { at, value }: { at: string; value: string | null },
): LogSearch | null {
  const { kind, query, dataset, windowSeconds } = rule;
  if (kind === 'session_quiet' || kind === 'storage') return null;
  const by = firesByPattern(rule) ? 'pattern' : rule.by;
  const end = Date.parse(at);
  const wanted = by === null || value === null ? query : toggleOnly(query, by, value);
  return {
    dataset: dataset ?? undefined,
    query: wanted || undefined,
    // Covers the window and the one before, to compare. Late entries have an earlier time.
    from: new Date(end - 2 * windowSeconds * 1000).toISOString(),
    to: new Date(end).toISOString(),
  };
}

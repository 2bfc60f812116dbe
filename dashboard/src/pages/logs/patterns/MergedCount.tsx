/** Says how many patterns were merged into a row. */
import { countThings } from '../../../format/numbers.ts';
import type { LogPattern } from '../../../queries/logPatterns.ts';

export function MergedCount({
  found: { merged, variants },
}: {
  found: Pick<LogPattern, 'merged' | 'variants'>;
}) {
  if (!merged) return null;
  return <span title="They differ only in a few words">{countThings(variants, 'pattern')} merged</span>;
}

/** Chooses how a page looks for its entries: by which conditions, in which order, and in how many statements. */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Binder } from '../writer/engine/statements.ts';
import { formatConditions, formatConditionsApart, formatConditionsOfFew } from './conditions.ts';
import type { KnownWords } from './knownWords.ts';
import { findWords, type PartWords } from './partWords.ts';

type Asked = {
  /** Somebody knows in which few blocks the matches lie. */
  isScattered: boolean;
  /** So few entries are looked at that no index is asked. */
  isLittle: boolean;
  /** So many are skipped that indexes save nothing. */
  isFar: boolean;
  /** Unless somebody looked already. */
  known?: KnownWords | null;
  binder: Binder;
  signal: AbortSignal;
};

/** One for each statement; none where nothing can match. */
export async function formatPageClauses(
  { table, words }: { table: string; words: PartWords | null },
  filter: LogFilter,
  asked: Asked,
): Promise<string[]> {
  const { isScattered, isLittle, isFar, binder, signal } = asked;
  if (isLittle) return [`WHERE ${formatConditions(filter, binder, false)}`];
  if (isFar) return [`WHERE ${formatConditions(filter, binder)}`];
  const known = asked.known ?? (await findWords(words, filter, signal));
  const clauses = formatConditionsApart({ table, known }, filter, binder);
  return isScattered && clauses.length > 1 ? [formatConditionsOfFew(filter, binder, known)] : clauses;
}

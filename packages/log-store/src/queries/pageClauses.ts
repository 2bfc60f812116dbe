/** Chooses how to search for a page: the conditions, their order, and the number of statements. */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Binder } from '../writer/engine/statements.ts';
import { formatConditions, formatConditionsApart, formatConditionsOfFew } from './conditions.ts';
import type { KnownWords } from './knownWords.ts';
import { findWords, type PartWords } from './partWords.ts';

type Asked = {
  /** The few blocks with matches are known. */
  isScattered: boolean;
  /** The statement reads too few entries for indexes to help. */
  isLittle: boolean;
  /** The page skips so many entries that indexes save nothing. */
  isFar: boolean;
  /** Known words, if the caller has already looked them up. */
  known?: KnownWords | null;
  binder: Binder;
  signal: AbortSignal;
};

/** Formats one clause per statement; none if nothing can match. */
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

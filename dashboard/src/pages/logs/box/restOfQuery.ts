/** Removes the term at the caret from a query. Completion counts values and fields among the rest's matches. */

import { findTyping } from '@tapedeck/log-query-language';
import type { Place } from '../../../queryBox/options.ts';
import { readBox } from '../../../queryBox/queryErrors.ts';

const termBegin = /\S*$/;
const danglingOperator = /(?:^|\s)(?:AND|NOT|-)\s*$/;
/** Alternatives of an OR do not narrow each other. */
const alternative = /(?:^|\s)OR(?:\s|$)/;

/** Returns '' if nothing else is typed, or nothing that can be separated from the term. */
export function readRestOfQuery({ text, caret }: Place): string {
  if (alternative.test(text)) return '';
  const { from, to } = findTyping(text, caret);
  const before = text.slice(0, from).replace(termBegin, '').replace(danglingOperator, ' ');
  const rest = `${before} ${text.slice(to)}`.replaceAll(/\s+/g, ' ').trim();
  return readBox(rest, null).mistake === null ? rest : '';
}

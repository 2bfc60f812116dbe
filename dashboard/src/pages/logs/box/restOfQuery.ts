/** Takes the term at the caret out of a query. Values and fields are counted among what the rest finds. */

import { findTyping } from '@tapedeck/log-query-language';
import type { Place } from '../../../queryBox/options.ts';
import { readBox } from '../../../queryBox/queryErrors.ts';

const termBegin = /\S*$/;
const danglingOperator = /(?:^|\s)(?:AND|NOT|-)\s*$/;
/** Alternatives of an OR do not narrow each other. */
const alternative = /(?:^|\s)OR(?:\s|$)/;

/** '' where nothing else is asked for, or nothing that can be told apart from the term. */
export function readRestOfQuery({ text, caret }: Place): string {
  if (alternative.test(text)) return '';
  const { from, to } = findTyping(text, caret);
  const before = text.slice(0, from).replace(termBegin, '').replace(danglingOperator, ' ');
  const rest = `${before} ${text.slice(to)}`.replaceAll(/\s+/g, ' ').trim();
  return readBox(rest, null).mistake === null ? rest : '';
}

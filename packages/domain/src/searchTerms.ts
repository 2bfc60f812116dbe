/** Search terms for files and log entries: words, "quoted phrases", and conditions on metadata. */

import { foldCase } from '@tapedeck/values/case-folding';
import { invalidFieldError, limits, ServiceError } from './vocabulary.ts';

const termPattern = /"([^"]*)(?:"|$)|([^\s"]\S*)/gu;

/** Splits a search into case-folded, distinct terms. An unclosed quote runs to the end; a quote inside a word is a plain character. */
export function readTerms(field: string, text: string): string[] {
  const terms = new Set<string>();
  for (const [, phrase, word] of text.matchAll(termPattern)) {
    const term = phrase ?? word ?? '';
    if (term !== '') terms.add(foldCase(term));
  }
  if (terms.size > limits.searchTermsMax) {
    throw invalidFieldError(
      field,
      `${field} may hold at most ${limits.searchTermsMax} different terms; send fewer, or put words in quotes.`,
    );
  }
  return [...terms];
}

/** Matches if the value is equal, including letter case. */
export type MetadataCondition = { path: string; value: string };

export function requireFewConditions(conditions: readonly MetadataCondition[]): readonly MetadataCondition[] {
  if (conditions.length <= limits.searchTermsMax) return conditions;
  throw new ServiceError(
    'invalid_field',
    `A query may hold at most ${limits.searchTermsMax} conditions metadata.<path>=value; send fewer.`,
  );
}

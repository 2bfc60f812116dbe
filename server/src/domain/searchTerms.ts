/** Reads the text of a search, of files or of log entries, as terms: words and "phrases in quotes". */

import { foldCase } from '@tapedeck/case-folding';
import { limits, ServiceError } from '../vocabulary.ts';

const termPattern = /"([^"]*)(?:"|$)|([^\s"]\S*)/gu;

/** Case-folded and without repetitions. An unclosed quote runs to the end; inside of a word it is a plain character. */
export function readTerms(field: string, text: string): string[] {
  const terms = new Set<string>();
  for (const [, phrase, word] of text.matchAll(termPattern)) {
    const term = phrase ?? word ?? '';
    if (term !== '') terms.add(foldCase(term));
  }
  if (terms.size > limits.searchTermsMax) {
    throw new ServiceError(
      'invalid_field',
      `${field} may hold at most ${limits.searchTermsMax} different terms; send fewer, or put words in quotes.`,
      { field },
    );
  }
  return [...terms];
}

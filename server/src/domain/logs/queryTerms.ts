/** Search text becomes terms: words, and "phrases in quotes", all of which must occur. */
import { limits, ServiceError } from '../../vocabulary.ts';
import { foldCase } from './caseFolding.ts';

const termPattern = /"([^"]*)(?:"|$)|([^\s"]\S*)/gu;

/** Case-folded and without repetitions. An unclosed quote runs to the end; inside of a word it is a plain character. */
export function readTerms(field: string, text: string): string[] {
  const terms = new Set<string>();
  for (const [, phrase, word] of text.matchAll(termPattern)) {
    const term = phrase ?? word ?? '';
    if (term !== '') terms.add(foldCase(term));
  }
  if (terms.size > limits.logQueryTermsMax) {
    throw new ServiceError(
      'invalid_field',
      `${field} may hold at most ${limits.logQueryTermsMax} different terms; send fewer, or put words in quotes.`,
    );
  }
  return [...terms];
}

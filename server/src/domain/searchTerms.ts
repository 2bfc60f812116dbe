/** What people type into a search box, as the terms that must all occur. */

/** White space separates terms, a "quoted phrase" is one; an unclosed quote runs to the end. Letter case is folded. */
export function readSearchTerms(text: string): string[] {
  const terms: string[] = [];
  for (const match of text.matchAll(/"([^"]*)(?:"|$)|[^\s"]+/gu)) {
    const term = match[1] ?? match[0];
    if (term !== '') terms.push(term.toLowerCase());
  }
  return terms;
}

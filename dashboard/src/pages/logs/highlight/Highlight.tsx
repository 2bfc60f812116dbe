/** Highlights search terms in a text. */
import { markTerms } from '../../../format/searchTerms.ts';

export function Highlight({ text, terms }: { text: string; terms: readonly string[] }) {
  if (terms.length === 0) return text;
  let at = 0;
  return markTerms(text, terms).map(piece => {
    const key = at;
    at += piece.text.length;
    if (!piece.isMatch) return piece.text;
    return (
      <mark key={key} className="rounded-xs bg-accent/25 text-inherit">
        {piece.text}
      </mark>
    );
  });
}

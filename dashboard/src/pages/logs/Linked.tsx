/** A text from outside in which addresses of the web can be followed. */
import { splitAddresses } from '../../text/addresses.ts';
import { Marked } from './Marked.tsx';

const noTerms: readonly string[] = [];

export function Linked({ text, terms = noTerms }: { text: string; terms?: readonly string[] }) {
  let at = 0;
  return splitAddresses(text).map(piece => {
    const key = at;
    at += piece.text.length;
    const marked = <Marked key={key} text={piece.text} terms={terms} />;
    if (!piece.isAddress) return marked;
    return (
      <a
        key={key}
        href={piece.text}
        target="_blank"
        rel="noopener noreferrer"
        className="underline decoration-edge underline-offset-3 hover:decoration-ink"
      >
        {marked}
      </a>
    );
  });
}

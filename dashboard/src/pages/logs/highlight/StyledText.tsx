/** Shows untrusted text with its colours, highlighted search terms, and links. */
import { type CSSProperties, useMemo } from 'react';
import { cutLine } from '../../../format/searchTerms.ts';
import { hasColours, type Look } from './colours.ts';
import { makeReadable, pickTextColour, writeColour } from './contrast.ts';
import { Highlight } from './Highlight.tsx';
import { type Piece, readSpans, sliceSpans } from './spans.ts';

const codeShareMax = 3; // colour codes take less than two thirds of a line

export function StyledLine(props: { text: string; terms: readonly string[]; charactersMax: number }) {
  const { text, terms, charactersMax } = props;
  const line = cutLine(text, terms, charactersMax);
  if (!hasColours(line)) return <Highlight text={line} terms={terms} />;
  const pieces = readSpans(cutLine(text, terms, charactersMax * codeShareMax), terms, false);
  return <StyledText pieces={sliceSpans(pieces, 0, charactersMax)} />;
}

export function LinkedText({ text }: { text: string }) {
  return <StyledText pieces={useMemo(() => readSpans(text, [], true), [text])} />;
}

export function StyledText({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(piece => <StyledSpan key={piece.start} piece={piece} />);
}

function StyledSpan({ piece: { text, look, isMatch, address } }: { piece: Piece }) {
  const style = styleOf(look, isMatch);
  const plain = isMatch ? <mark className="rounded-xs bg-accent/25 text-inherit">{text}</mark> : text;
  const painted = style === null ? plain : <span {...style}>{plain}</span>;
  if (address === null) return painted;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="underline decoration-edge underline-offset-3 hover:decoration-ink"
    >
      {painted}
    </a>
  );
}

/** Matches have their own background, so they use the page's text colour. */
function styleOf(look: Look, isMatch: boolean): { className: string; style: CSSProperties } | null {
  const classes = [
    look.isBold && 'font-bold',
    look.isFaint && 'text-muted',
    look.isItalic && 'italic',
    look.isUnderlined && 'underline',
    look.isCode && 'rounded-sm bg-ink/8 px-1 font-mono text-[0.92em]',
    look.isStruck && (look.isUnderlined ? '[text-decoration-line:underline_line-through]' : 'line-through'),
    look.isSwapped && look.ink === null && 'bg-ink text-on-ink',
  ].filter(name => name !== false);
  const style = isMatch ? {} : paint(look);
  if (classes.length === 0 && Object.keys(style).length === 0) return null;
  return { className: classes.join(' '), style };
}

function paint({ ink, ground, isSwapped }: Look): CSSProperties {
  const [on, under] = isSwapped ? [ground, ink] : [ink, ground];
  if (under !== null) return { color: pickTextColour(under, on), backgroundColor: writeColour(under) };
  if (on === null || isSwapped) return {};
  const { light, dark } = makeReadable(on);
  return { color: `light-dark(${light}, ${dark})` };
}

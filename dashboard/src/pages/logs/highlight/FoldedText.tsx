/** A text with its colours and matches, in which the frames of long stacks are folded. */
import { type ComponentType, useMemo } from 'react';
import { readColours } from './colours.ts';
import { StyledText } from './StyledText.tsx';
import { cutSpans, type Piece, sliceSpans } from './spans.ts';
import { type Fold, foldStackFrames } from './stackFrames.ts';

export type FramesProps = { fold: Fold; pieces: readonly Piece[] };

type FoldedTextProps = {
  body: string;
  terms: readonly string[];
  hasLinks: boolean;
  /** Shows the frames of a fold. */
  Frames: ComponentType<FramesProps>;
};

export function FoldedText({ body, terms, hasLinks, Frames }: FoldedTextProps) {
  const { pieces, folds, length } = useMemo(() => {
    const coloured = readColours(body);
    const { plain } = coloured;
    return {
      pieces: cutSpans(coloured, terms, hasLinks),
      folds: foldStackFrames(plain),
      length: plain.length,
    };
  }, [body, terms, hasLinks]);
  return [0, ...folds.map(({ end }) => end + 1)].map((start, index) => {
    const fold = folds[index];
    return (
      <span key={start}>
        <StyledText pieces={sliceSpans(pieces, start, fold?.start ?? length)} />
        {fold && <Frames fold={fold} pieces={sliceSpans(pieces, fold.start, fold.end + 1)} />}
      </span>
    );
  });
}

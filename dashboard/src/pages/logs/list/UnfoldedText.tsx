/** Shows an entry's whole text in the list. Frames of long stacks stay folded until clicked; JSON is a tree. */
import { type MouseEvent, useMemo, useState } from 'react';
import { findJson } from '../../../format/json.ts';
import { JsonTree } from '../entry/JsonTree.tsx';
import { readColours } from '../highlight/colours.ts';
import { StyledText } from '../highlight/StyledText.tsx';
import { cutSpans, type Piece, sliceSpans } from '../highlight/spans.ts';
import { type Fold, foldStackFrames } from '../highlight/stackFrames.ts';

type UnfoldedProps = { body: string; terms: readonly string[] };

export function UnfoldedText({ body, terms }: UnfoldedProps) {
  const found = useMemo(() => findJson(body), [body]);
  if (found === null) return <FoldedText body={body} terms={terms} />;
  return (
    <>
      {found.before.trim() !== '' && <FoldedText body={found.before} terms={terms} />}
      <JsonTree value={found.value} terms={terms} press="span" />
    </>
  );
}

function FoldedText({ body, terms }: UnfoldedProps) {
  const { pieces, folds, length } = useMemo(() => {
    const coloured = readColours(body);
    const { plain } = coloured;
    return { pieces: cutSpans(coloured, terms, false), folds: foldStackFrames(plain), length: plain.length };
  }, [body, terms]);
  const starts = [0, ...folds.map(({ end }) => end + 1)];
  return (
    <bdi className="whitespace-pre-wrap wrap-anywhere">
      {starts.map((start, index) => {
        const fold = folds[index];
        return (
          <span key={start}>
            <StyledText pieces={sliceSpans(pieces, start, fold?.start ?? length)} />
            {fold && <FoldedFrames fold={fold} pieces={sliceSpans(pieces, fold.start, fold.end + 1)} />}
          </span>
        );
      })}
    </bdi>
  );
}

/** Not a button, because a listbox option may not contain one. Keyboard users see the frames in the open entry. */
function FoldedFrames({ fold: { frames }, pieces }: { fold: Fold; pieces: readonly Piece[] }) {
  const [isOpen, setOpen] = useState(pieces.some(({ isMatch }) => isMatch));
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    setOpen(!isOpen);
  };
  return (
    <>
      {isOpen && <StyledText pieces={pieces} />}
      <span aria-hidden="true" onClick={toggle} className="block w-fit cursor-pointer text-muted underline">
        {isOpen ? `Hide ${frames} frames` : `${frames} frames`}
      </span>
    </>
  );
}

/** Shows an entry's whole text in the list. Frames of long stacks stay folded until clicked; JSON is a tree. */
import { type MouseEvent, useMemo, useState } from 'react';
import { findJson } from '../../../format/json.ts';
import { JsonTree } from '../entry/JsonTree.tsx';
import { FoldedText, type FramesProps } from '../highlight/FoldedText.tsx';
import { StyledText } from '../highlight/StyledText.tsx';

type UnfoldedProps = { body: string; terms: readonly string[] };

export function UnfoldedText({ body, terms }: UnfoldedProps) {
  const found = useMemo(() => findJson(body), [body]);
  if (found === null) return <BodyText body={body} terms={terms} />;
  return (
    <>
      {found.before.trim() !== '' && <BodyText body={found.before} terms={terms} />}
      <JsonTree value={found.value} terms={terms} press="span" />
    </>
  );
}

function BodyText({ body, terms }: UnfoldedProps) {
  return (
    <bdi className="whitespace-pre-wrap wrap-anywhere">
      <FoldedText body={body} terms={terms} hasLinks={false} Frames={FoldedFrames} />
    </bdi>
  );
}

/** Not a button, because a listbox option may not contain one. Keyboard users see the frames in the open entry. */
function FoldedFrames({ fold: { frames }, pieces }: FramesProps) {
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

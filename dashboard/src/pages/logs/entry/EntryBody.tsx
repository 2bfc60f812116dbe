/** Shows an entry's whole text. A long stack shows its first frames, and the rest on click; JSON is a tree. */
import { useMemo, useState } from 'react';
import { findJson } from '../../../format/json.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { FoldedText, type FramesProps } from '../highlight/FoldedText.tsx';
import { StyledText } from '../highlight/StyledText.tsx';
import { JsonTree } from './JsonTree.tsx';

type EntryBodyProps = { body: string; terms: readonly string[] };

export function EntryBody({ body, terms }: EntryBodyProps) {
  const found = useMemo(() => findJson(body), [body]);
  const [isText, setText] = useState(false);
  if (found === null) return <BodyText body={body} terms={terms} />;
  return (
    <div className="max-h-[60dvh] overflow-auto">
      {isText ? (
        <BodyText body={body} terms={terms} />
      ) : (
        <>
          {found.before.trim() !== '' && <BodyText body={found.before} terms={terms} />}
          <div className="py-2.5 pr-11 pl-3">
            <JsonTree value={found.value} terms={terms} press="button" />
          </div>
        </>
      )}
      <button
        type="button"
        onClick={() => setText(!isText)}
        className="mb-1.5 ml-3 min-h-6 text-[0.78rem] text-muted underline decoration-edge underline-offset-3 hover:text-ink"
      >
        {isText ? 'Show as a tree' : 'Show as text'}
      </button>
    </div>
  );
}

function BodyText({ body, terms }: EntryBodyProps) {
  return (
    <pre
      {...(isLong(body) && { tabIndex: 0 })}
      className="max-h-[60dvh] overflow-auto py-2.5 pr-11 pl-3 font-mono text-[0.8rem] leading-relaxed whitespace-pre-wrap wrap-anywhere [tab-size:2]"
    >
      {body === '' && <span className="text-muted">No text</span>}
      <FoldedText body={body} terms={terms} hasLinks Frames={Folded} />
    </pre>
  );
}

const shortLettersMax = 600; // fits on a phone
const shortLinesMax = 12;

/** True if the text scrolls, so that keyboard users must be able to focus it. */
function isLong(body: string): boolean {
  return body.length > shortLettersMax || body.split('\n').length > shortLinesMax;
}

/** Starts open if it contains a match. */
function Folded({ fold: { frames }, pieces }: FramesProps) {
  const [choice, setChoice] = useState<boolean | null>(null);
  const isOpen = choice ?? pieces.some(({ isMatch }) => isMatch);
  return (
    <>
      {isOpen && <StyledText pieces={pieces} />}
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChoice(!isOpen)}
        className="my-0.5 flex min-h-6 items-center gap-1.5 rounded-md border border-line bg-panel px-2 font-sans text-[0.78rem] text-muted select-none hover:border-edge hover:text-ink"
      >
        <Icon name={isOpen ? 'up' : 'down'} className="size-3" />
        {isOpen ? `Hide ${frames} frames` : `${frames} frames`}
      </button>
    </>
  );
}

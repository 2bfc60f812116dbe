/** Shows a guide's text, with code and links to other guides. */
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';

const marks = /(`[^`]+`|\[[^\]]+\]\([\w-]+\.md\))/;

export function NoteText({ text, project }: { text: string; project: string }) {
  return text.split(marks).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
    <Fragment key={index}>{renderPart(part, project)}</Fragment>
  ));
}

function renderPart(part: string, project: string) {
  if (part.startsWith('`'))
    return <code className="font-mono text-[0.92em] wrap-anywhere text-ink">{part.slice(1, -1)}</code>;
  const [, title, tool] = /^\[(.+)\]\((.+)\.md\)$/.exec(part) ?? [];
  if (tool === undefined) return part;
  return (
    <Link
      to="/projects/$project/connect/{-$tool}"
      params={{ project, tool }}
      className="underline decoration-edge underline-offset-3 hover:decoration-ink"
    >
      {title}
    </Link>
  );
}

/** Shows a tool as a cassette label with its letters, in its group's colour. */
import { type Guide, groups } from '@tapedeck/guides';

export function ToolCard({ guide, large = false }: { guide: Guide; large?: boolean }) {
  const series = `var(--series-${(groups.indexOf(guide.group) % 8) + 1})`;
  return (
    <span
      aria-hidden="true"
      style={{ borderTopColor: series }}
      className={`grid shrink-0 place-items-center rounded-md border border-t-4 border-edge/60 bg-well font-mono text-muted
        ${large ? 'h-11 w-13 text-[1.05rem]' : 'h-7 w-9 text-[0.72rem]'}`}
    >
      {lettersOf(guide.title)}
    </span>
  );
}

/** Returns the first letters of two words, or of one. A capital inside a word starts a new one. */
function lettersOf(title: string): string {
  const words = title
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const [first = '', second] = words;
  return second ? `${first[0]}${second[0]}` : first.slice(0, 2);
}

/** What the entries of a pattern say, with the places of what varies set apart. */
const placeholder = /(<(?:n|hex|uuid|ip|mac|time|id)>)/;

export function Template({ text }: { text: string }) {
  if (text === '') return <span className="text-muted italic">No text</span>;
  return text.split(placeholder).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing but their places
      <var key={index} className="mx-px rounded-sm bg-accent/14 px-1 text-[0.92em] text-accent not-italic">
        {part.slice(1, -1)}
      </var>
    ) : (
      part
    ),
  );
}

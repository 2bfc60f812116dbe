/** Shortens long names in sentences, without cutting a visible character in two. */

const signs = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function shorten(name: string, signsMax: number): string {
  if (name.length <= signsMax) return name;
  const shown = Array.from(signs.segment(name), ({ segment }) => segment);
  return shown.length <= signsMax
    ? name
    : `${shown
        .slice(0, signsMax - 1)
        .join('')
        .trimEnd()}…`;
}

/**
 * Draws numbers and short words as strokes. Programs that convert SVG to pictures use the machine's fonts, and a machine with only Node.js has none,
 * so texts would become boxes.
 */

type Glyph = { width: number; path: string };

/** In a box 14 units high, from the top to the foot of a capital letter. Strokes run along the middle of each line. */
const glyphs: Readonly<Record<string, Glyph>> = {
  '0': { width: 9, path: 'M4.5 0C1.6 0 0 2.5 0 7S1.6 14 4.5 14 9 11.5 9 7 7.4 0 4.5 0Z' },
  '1': { width: 9, path: 'M1.5 3L5.3 0V14' },
  '2': { width: 9, path: 'M.4 3.7C.5 1.5 2.1 0 4.5 0 6.9 0 8.6 1.5 8.6 3.7 8.6 5.3 7.8 6.5 6.4 8L.2 14H9' },
  '3': {
    width: 9,
    path: 'M.6 2.7C1.1 1 2.5 0 4.5 0 6.8 0 8.4 1.3 8.4 3.3S6.8 6.6 4.5 6.6H3.3M4.5 6.6C7.1 6.6 9 8 9 10.3S7.2 14 4.5 14C2.2 14 .6 12.9 0 11.1',
  },
  '4': { width: 9, path: 'M7 14V0H6.6L0 10V10.2H9.2' },
  '5': {
    width: 9,
    path: 'M8.2 0H1.7L1 6.3C1.9 5.5 3.1 5.1 4.4 5.1 7.1 5.1 9 6.9 9 9.5S7.1 14 4.4 14C2.3 14 .7 13 0 11.2',
  },
  '6': {
    width: 9,
    path: 'M7.4 0C3.2 1.4 0 5 0 9.4 0 12.2 1.9 14 4.5 14S9 12.2 9 9.6 7.1 5.2 4.5 5.2C2.4 5.2 .8 6.4 .2 8.2',
  },
  '7': { width: 9, path: 'M0 0H9V.3L3.2 14' },
  '8': {
    width: 9,
    path: 'M4.5 6.5C2.3 6.5 .8 5.2 .8 3.2S2.3 0 4.5 0 8.2 1.2 8.2 3.2 6.7 6.5 4.5 6.5C1.8 6.5 0 8 0 10.2S1.8 14 4.5 14 9 12.4 9 10.2 7.2 6.5 4.5 6.5Z',
  },
  '9': {
    width: 9,
    path: 'M1.6 14C5.8 12.6 9 9 9 4.6 9 1.8 7.1 0 4.5 0S0 1.8 0 4.4 1.9 8.8 4.5 8.8C6.6 8.8 8.2 7.6 8.8 5.8',
  },
  ':': { width: 1, path: 'M.5 4V4.01M.5 11.5V11.51' },
  '.': { width: 1, path: 'M.5 13.8V13.81' },
  '-': { width: 5, path: 'M0 8H5' },
  '%': {
    width: 13,
    path: 'M10.8 0L2.2 14M2.8 0A2.8 3 0 1 1 2.8 6 2.8 3 0 1 1 2.8 0ZM10.2 8A2.8 3 0 1 1 10.2 14 2.8 3 0 1 1 10.2 8Z',
  },
  ' ': { width: 2, path: '' },
  K: { width: 8.5, path: 'M0 0V14M8 0L0 8.6M3 5.6L8.5 14' },
  M: { width: 11, path: 'M0 14V0L5.5 9 11 0V14' },
  B: {
    width: 8.5,
    path: 'M0 0V14H4.6C7 14 8.5 12.5 8.5 10.2S7 6.5 4.6 6.5H0M0 0H4.2C6.4 0 7.8 1.2 7.8 3.2S6.4 6.5 4.2 6.5',
  },
  T: { width: 9, path: 'M0 0H9M4.5 0V14' },
  U: { width: 9, path: 'M0 0V9C0 12.2 1.7 14 4.5 14S9 12.2 9 9V0' },
  C: { width: 9, path: 'M8.9 3C8.1 1.1 6.7 0 4.8 0 1.8 0 0 2.6 0 7S1.8 14 4.8 14C6.7 14 8.1 12.9 8.9 11' },
};

const gap = 3.2;
const heightUnits = 14;

type Label = {
  x: number;
  /** Halfway between top and bottom. */
  y: number;
  anchor: 'start' | 'middle' | 'end';
  /** Height of a capital letter. */
  height: number;
  colour: string;
  weight?: number;
};

/** Leaves out characters that have no strokes. */
export function drawLabel(text: string, { x, y, anchor, height, colour, weight = 1.7 }: Label): string {
  const scale = height / heightUnits;
  const before = { start: 0, middle: 0.5, end: 1 }[anchor] * measureLabel(text, height);
  let at = 0;
  const strokes: string[] = [];
  for (const character of text) {
    const glyph = glyphs[character];
    if (glyph === undefined) continue;
    if (glyph.path !== '') strokes.push(`<path transform="translate(${round(at)} 0)" d="${glyph.path}"/>`);
    at += glyph.width + gap;
  }
  const place = `translate(${round(x - before)} ${round(y - height / 2)}) scale(${round(scale)})`;
  return `<g transform="${place}" fill="none" stroke="${colour}" stroke-width="${weight}" stroke-linecap="round" stroke-linejoin="round">${strokes.join('')}</g>`;
}

export function measureLabel(text: string, height: number): number {
  const widths = [...text].flatMap(character => glyphs[character]?.width ?? []);
  const units = widths.reduce((sum, width) => sum + width + gap, 0) - gap;
  return Math.max(units, 0) * (height / heightUnits);
}

export function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

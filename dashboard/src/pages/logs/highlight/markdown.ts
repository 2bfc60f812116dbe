/** Reads the Markdown of chat messages: **bold**, *italic*, __underlined__, ~~struck~~, `code`, and [links](https://…). */
import { type ColouredText, type Look, plainLook } from './colours.ts';

type Link = { start: number; end: number; value: string };
type MarkedText = ColouredText & { links: readonly Link[] };

/** Text between two marks, up to an ample length. */
const inner = '([^\\n]{1,2000}?)';
const marks = new RegExp(
  [
    '```(?:\\w*\\n)?([\\s\\S]{1,4000}?)\\n?```',
    `\`${inner}\``,
    '\\[([^\\]\\n]{1,500})\\]\\((https?://[^\\s()]{1,2000})\\)',
    `\\*\\*${inner}\\*\\*(?!\\*)`,
    `__${inner}__(?!_)`,
    `~~${inner}~~`,
    `\\*(?![\\s*])${inner}(?<![\\s*])\\*(?!\\*)`,
    `(?<![\\p{L}\\p{N}_])_(?![\\s_])${inner}(?<![\\s_])_(?![\\p{L}\\p{N}_])`,
  ].join('|'),
  'gu',
);
const depthMax = 6; // bold within italic within a link is already rare

export function readMarkdown(text: string): MarkedText {
  const read: { plain: string; runs: ColouredText['runs'][number][]; links: Link[] } = {
    plain: '',
    runs: [],
    links: [],
  };
  const addPart = (part: string, look: Look) => {
    const start = read.plain.length;
    read.plain += part;
    if (part !== '' && look !== plainLook) read.runs.push({ start, end: read.plain.length, look });
  };
  const walk = (part: string, look: Look, depth: number) => {
    let end = 0;
    for (const match of depth < depthMax ? part.matchAll(marks) : []) {
      const [whole, block, code, label, address, bold, underlined, struck, italic, otherItalic] = match;
      addPart(part.slice(end, match.index), look);
      end = match.index + whole.length;
      const verbatim = block ?? code;
      const start = read.plain.length;
      if (verbatim !== undefined) addPart(verbatim, { ...look, isCode: true });
      else if (label !== undefined) walk(label, look, depth + 1);
      else if (bold !== undefined) walk(bold, { ...look, isBold: true }, depth + 1);
      else if (underlined !== undefined) walk(underlined, { ...look, isUnderlined: true }, depth + 1);
      else if (struck !== undefined) walk(struck, { ...look, isStruck: true }, depth + 1);
      else walk(italic ?? otherItalic ?? '', { ...look, isItalic: true }, depth + 1);
      if (address !== undefined) read.links.push({ start, end: read.plain.length, value: address });
    }
    addPart(part.slice(end), look);
  };
  walk(text, plainLook, 0);
  return read;
}

/** Splits texts with terminal or game codes into parts with a style. */
import { applyParameters } from './graphicParameters.ts';
import { type Colour, plainStyle, type Style } from './style.ts';

export { type Colour, colourNames, plainStyle, type Style } from './style.ts';

export type Span = { text: string; style: Style };

/**
 * Matches a terminal sequence (even without its end), or a code of FiveM or Minecraft. Strings that a terminal takes as a whole, such as a title, are
 * removed.
 */
const codes = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)(?<parameters>[0-?]*)[ -/]*(?<final>[@-~]?)`,
    String.raw`(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`\u001b[ -/]*[0-~]?`,
    '§x(?<hex>(?:§[0-9A-Fa-f]){6})',
    '§(?<minecraft>[0-9A-FK-ORa-fk-or])',
    String.raw`\^(?<fivem>[0-9*_~=r])`,
  ].join('|'),
  'g',
);

/** In mathematics, the sign follows a base. One at the start of a word shows that the text uses it for codes. */
const fivemSign = /(?<![\p{L}\p{N})\]])\^[0-9]/u;
const anyCode = /[\u001b\u0090\u0098\u009b\u009d-\u009f§^]/;

/** Returns all of the text without codes, in order; adjacent spans differ in style. A text without codes is one span, an empty text none. */
export function readColours(text: string): Span[] {
  if (!anyCode.test(text)) return text === '' ? [] : [{ text, style: plainStyle }];
  const isOfFivem = fivemSign.test(text);
  const spans: Span[] = [];
  let style = plainStyle;
  let start = 0;
  const add = (end: number) => {
    const last = spans.at(-1);
    const part = text.slice(start, end);
    if (last && isSameStyle(last.style, style)) last.text += part;
    else if (part !== '') spans.push({ text: part, style });
  };
  for (const { 0: code, index, groups = {} } of text.matchAll(codes)) {
    if (groups.fivem !== undefined && !isOfFivem) continue;
    add(index);
    start = index + code.length;
    style = applyCode(style, groups);
  }
  add(text.length);
  return spans;
}

export function removeColours(text: string): string {
  return readColours(text)
    .map(span => span.text)
    .join('');
}

function applyCode(style: Style, groups: Readonly<Record<string, string | undefined>>): Style {
  const { parameters, final, hex, minecraft, fivem } = groups;
  if (final === 'm') return applyParameters(style, parameters ?? '');
  if (hex !== undefined) return { ...plainStyle, colour: `#${hex.replaceAll('§', '').toLowerCase()}` };
  if (minecraft !== undefined) return applyMinecraft(style, minecraft.toLowerCase());
  return fivem === undefined ? style : applyFivem(style, fivem);
}

const minecraftColours = [
  ...(['black', 'blue', 'green', 'cyan', 'red', 'magenta', 'yellow', 'white', 'brightBlack'] as const),
  ...(['brightBlue', 'brightGreen', 'brightCyan', 'brightRed', 'brightMagenta', 'brightYellow'] as const),
  'brightWhite',
] as const;

/** In Minecraft, a colour resets the other styles. */
function applyMinecraft(style: Style, code: string): Style {
  if (code === 'r') return plainStyle;
  if (code === 'l') return { ...style, isBold: true };
  if (code === 'm') return { ...style, isStruck: true };
  if (code === 'n') return { ...style, isUnderlined: true };
  if (code === 'o') return { ...style, isItalic: true };
  if (code === 'k') return style; // obfuscated text, which keeps changing
  return { ...plainStyle, colour: minecraftColours[Number.parseInt(code, 16)] ?? null };
}

/** FiveM's first and eighth colours are white, its default. */
const fivemColours: readonly (Colour | null)[] = [
  ...([null, 'brightRed', 'brightGreen', 'brightYellow', 'brightBlue', 'brightCyan', 'magenta'] as const),
  ...([null, 'red', 'brightMagenta'] as const),
];

function applyFivem(style: Style, code: string): Style {
  if (code === 'r') return plainStyle;
  if (code === '*') return { ...style, isBold: true };
  if (code === '_') return { ...style, isUnderlined: true };
  if (code === '~') return { ...style, isStruck: true };
  if (code === '=') return { ...style, isUnderlined: true, isStruck: true };
  return { ...style, colour: fivemColours[Number(code)] ?? null };
}

function isSameStyle(one: Style, other: Style): boolean {
  // `plainStyle` fixes the key order of all styles.
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

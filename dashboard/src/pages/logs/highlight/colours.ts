/** Reads colour codes of terminals, Minecraft and FiveM: splits a text into plain text and its looks. */

/** Colours are numbers such as 0xff8000; null is the page's default. */
export type Look = {
  readonly ink: number | null;
  readonly ground: number | null;
  readonly isSwapped: boolean;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  /** Text for or by a machine. */
  readonly isCode: boolean;
};

/** A range of the plain text. */
type Run = { start: number; end: number; look: Look };
export type ColouredText = { plain: string; runs: readonly Run[] };

export const plainLook: Look = {
  ink: null,
  ground: null,
  isSwapped: false,
  isBold: false,
  isFaint: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isCode: false,
};

const escapeSign = '\u001b';
const controlBegin = `(?:${escapeSign}\\[|\u009b)`;
const controlSequence = `${controlBegin}([0-?]*)([ -/]*[@-~])`;
/** Complete escape sequences for titles and links, and short ones. */
const otherSequences = `${escapeSign}\\][^\u0007${escapeSign}]*(?:\u0007|${escapeSign}\\\\)?|${escapeSign}[ -/]*[0-Z\\\\^-~]`;
const minecraftCode = '§x((?:§[\\da-f]){6})|§([\\da-fk-or])';
const fivemCode = '\\^([\\d*_~=]|r(?!\\w))';
const codes = new RegExp([controlSequence, otherSequences, minecraftCode, fivemCode].join('|'), 'gi');

export function hasColours(text: string): boolean {
  return text.search(codes) >= 0;
}

export function readColours(text: string): ColouredText {
  const caretMeans = hasColourCodes(text);
  const runs: Run[] = [];
  let plain = '';
  let look = plainLook;
  let readUpTo = 0;
  const take = (end: number) => {
    const start = plain.length;
    plain += text.slice(readUpTo, end);
    if (plain.length > start && !isPlain(look)) runs.push({ start, end: plain.length, look });
  };
  for (const match of text.matchAll(codes)) {
    const [code, parameters, final, hexadecimal, minecraft, caret] = match;
    if (caret !== undefined && !caretMeans) continue;
    take(match.index);
    readUpTo = match.index + code.length;
    if (final === 'm') look = readGraphics(parameters ?? '', look);
    else if (hexadecimal !== undefined)
      look = lookOfInk(Number.parseInt(hexadecimal.replaceAll('§', ''), 16));
    else if (minecraft !== undefined) look = readMinecraft(minecraft.toLowerCase(), look);
    else if (caret !== undefined) look = readFivem(caret.toLowerCase(), look);
  }
  take(text.length);
  return { plain, runs };
}

/** Powers look alike (`10^3`, `x^2`), so at least one code must not follow a possible base. */
function hasColourCodes(text: string): boolean {
  return [...text.matchAll(/\^\d/g)].some(
    ({ index }) => !/(?:\d|\)|(?<![\p{L}\d])\p{L})$/u.test(text.slice(Math.max(0, index - 2), index)),
  );
}

function isPlain(look: Look): boolean {
  const { ink, ground, ...flags } = look;
  return ink === null && ground === null && !Object.values(flags).includes(true);
}

function lookOfInk(ink: number | null): Look {
  return { ...plainLook, ink };
}

/** Black to white, then the bright colours. */
const terminalInks = [
  0x000000, 0xcd3131, 0x0b9d58, 0xb58900, 0x2472c8, 0xbc3fbc, 0x1192ad, 0xa5a5a5, 0x666666, 0xf14c4c,
  0x23c178, 0xe5c100, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5,
];

/** Reads `31;1`, and custom colours such as `38;5;208`, `38;2;255;128;0` or with colons. */
function readGraphics(parameters: string, before: Look): Look {
  const numbers = parameters
    .replace(/(38|48):2::/g, '$1:2:')
    .split(/[;:]/)
    .map(Number);
  let look = before;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    if (number === 38 || number === 48) {
      const isOfTable = numbers[at + 1] === 5;
      const colour = isOfTable
        ? colourOfTable(numbers[at + 2] ?? 0)
        : joinColour(numbers.slice(at + 2, at + 5));
      look = { ...look, [number === 38 ? 'ink' : 'ground']: colour };
      at += isOfTable ? 2 : 4;
    } else look = number === 0 ? plainLook : { ...look, ...graphicsOf(number) };
  }
  return look;
}

function graphicsOf(number: number): Partial<Look> {
  const fixed: Readonly<Record<number, Partial<Look>>> = {
    1: { isBold: true },
    2: { isFaint: true },
    3: { isItalic: true },
    4: { isUnderlined: true },
    7: { isSwapped: true },
    9: { isStruck: true },
    22: { isBold: false, isFaint: false },
    23: { isItalic: false },
    24: { isUnderlined: false },
    27: { isSwapped: false },
    29: { isStruck: false },
    39: { ink: null },
    49: { ground: null },
  };
  const [tens, unit] = [Math.floor(number / 10), number % 10];
  const colour = unit < 8 ? (terminalInks[unit + (tens >= 9 ? 8 : 0)] ?? null) : null;
  if (colour !== null && (tens === 3 || tens === 9)) return { ink: colour };
  if (colour !== null && (tens === 4 || tens === 10)) return { ground: colour };
  return fixed[number] ?? {};
}

/** The 256 colours: named ones, a 6×6×6 cube, and greys. */
function colourOfTable(index: number): number | null {
  if (index < 16) return terminalInks[index] ?? null;
  if (index > 231) return (8 + 10 * Math.min(index - 232, 23)) * 0x010101;
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return joinColour([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level));
}

function joinColour([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const byte = (part: number) => Math.min(255, Math.max(0, Math.round(part) || 0));
  return byte(red) * 0x10000 + byte(green) * 0x100 + byte(blue);
}

/** White is the console's default, so it becomes the page's default. */
const minecraftInks: readonly (number | null)[] = [
  0x000000,
  0x0000aa,
  0x00aa00,
  0x00aaaa,
  0xaa0000,
  0xaa00aa,
  0xffaa00,
  0xaaaaaa,
  0x555555,
  0x5555ff,
  0x55ff55,
  0x55ffff,
  0xff5555,
  0xff55ff,
  0xffff55,
  null,
];

/** A colour resets bold and other styles. Ignores `k`, which would flicker. */
function readMinecraft(code: string, before: Look): Look {
  const index = '0123456789abcdef'.indexOf(code);
  if (index >= 0) return lookOfInk(minecraftInks[index] ?? null);
  if (code === 'r') return plainLook;
  const changes: Readonly<Record<string, Partial<Look>>> = {
    l: { isBold: true },
    m: { isStruck: true },
    n: { isUnderlined: true },
    o: { isItalic: true },
  };
  return { ...before, ...changes[code] };
}

const fivemInks: readonly (number | null)[] = [
  null,
  0xff4444,
  0x99cc00,
  0xffbb33,
  0x0099cc,
  0x33b5e5,
  0xaa66cc,
  null,
  0xff8800,
  0x9a9a9a,
];

function readFivem(code: string, before: Look): Look {
  if (code === 'r') return plainLook;
  const changes: Readonly<Record<string, Partial<Look>>> = {
    '*': { isBold: true },
    _: { isUnderlined: true },
    '~': { isStruck: true },
    '=': { isUnderlined: true, isStruck: true },
  };
  return { ...before, ...(changes[code] ?? { ink: fivemInks[Number(code)] ?? null }) };
}

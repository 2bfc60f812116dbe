/** Classifies the bytes of UTF-8 for templates. */

export const mark = {
  escape: 0x1b,
  blank: 0x20,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  slash: 0x2f,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  capitalT: 0x54, // for tracebacks
  backslash: 0x5c,
  bracket: 0x5b,
  underscore: 0x5f,
  caret: 0x5e,
} as const;

/** Kinds of bytes, as bits: a byte may have several. */
export const is = {
  digit: 1,
  /** An ASCII letter, an underscore, or a character beyond ASCII that counts as a letter. */
  letter: 2,
  hex: 4,
  blank: 8,
  lineEnd: 16,
  /** Begins a non-ASCII character other than a letter, such as quotes, arrows, frames and emoji. */
  symbol: 32,
  /** Always literal: no colour, number or address begins with it. */
  plain: 64,
  /** May continue something that begins like a number, so the reader cannot yet tell what the digits are. */
  joint: 128,
} as const;

export const wordBits = is.digit | is.letter;

// U+0080 to U+00BF, U+2000 to U+2FFF and U+10000 to U+3FFFF begin with these bytes.
const symbolBytes: readonly number[] = [0xc2, 0xe2, 0xf0];

/** Kinds by byte. */
export const kinds: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => classify(byte));

/** Returns the length in bytes of the symbol that begins with this byte. */
export function measureSymbol(byte: number): number {
  return byte === 0xc2 ? 2 : byte === 0xe2 ? 3 : 4;
}

/** Classes of ASCII bytes, for copying runs by four. */
export const runs = {
  /** Bytes without this bit end the run. */
  plain: 1,
  blank: 2,
  /** Four hexadecimal letters may be part of eight, which vary. */
  hex: 4,
} as const;

/** Run classes by byte. */
export const runKinds: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const kind = kinds[byte]!;
  if (byte === mark.blank) return runs.plain | runs.blank;
  if (byte >= 0x80 || !(kind & (is.letter | is.plain))) return 0;
  return kind & is.hex ? runs.plain | runs.hex : runs.plain;
});

function classify(byte: number): number {
  if (byte >= 0x80) return symbolBytes.includes(byte) ? is.symbol : is.letter;
  const char = String.fromCharCode(byte);
  if (/[0-9]/.test(char)) return is.digit | is.hex;
  if (/[a-f]/i.test(char)) return is.letter | is.hex;
  if (/[a-z_]/i.test(char)) return is.letter;
  if (/[ \t]/.test(char)) return is.blank;
  if (/[\r\n]/.test(char)) return is.lineEnd;
  const plain = /[-+:^\x1b]/.test(char) ? 0 : is.plain;
  return /[-.,:/]/.test(char) ? plain | is.joint : plain;
}

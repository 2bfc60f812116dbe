/** Reads the numbers of `ESC [ … m` (ECMA-48, 8.3.117, and common extensions). */
import { type Colour, colourNames, plainStyle, type Style } from './style.ts';

const changes: Readonly<Record<number, Partial<Style>>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  29: { isStruck: false },
  39: { colour: null },
  49: { background: null },
};

/** `;` separates numbers, and `:` separates the parts of one (`38:2::r:g:b`). Ignores unknown numbers. */
export function applyParameters(style: Style, parameters: string): Style {
  const numbers = parameters.split(';');
  let changed = style;
  for (let index = 0; index < numbers.length; index++) {
    const [first = '', ...parts] = numbers[index]!.split(':');
    const number = Number(first);
    if (number === 38 || number === 48) {
      const rest = parts.length > 0 ? withoutSpace(parts) : numbers.slice(index + 1);
      const colour = readExactColour(rest);
      if (parts.length === 0) index += countParts(rest);
      if (colour !== null) changed = { ...changed, [number === 38 ? 'colour' : 'background']: colour };
    } else changed = applyNumber(changed, number, parts);
  }
  return changed;
}

function applyNumber(style: Style, number: number, parts: readonly string[]): Style {
  if (number === 0) return plainStyle;
  if (number === 4 && parts[0] === '0') return { ...style, isUnderlined: false };
  const [tens, ones] = [Math.floor(number / 10), number % 10];
  const name = colourNames[tens >= 9 ? ones + 8 : ones];
  if (ones < 8 && name !== undefined) {
    if (tens === 3 || tens === 9) return { ...style, colour: name };
    if (tens === 4 || tens === 10) return { ...style, background: name };
  }
  return { ...style, ...changes[number] };
}

/** `2::r:g:b` has a colour space before the colours, `2:r:g:b` does not. */
function withoutSpace(parts: readonly string[]): readonly string[] {
  return parts[0] === '2' && parts.length > 4 ? ['2', ...parts.slice(2)] : parts;
}

function countParts([kind]: readonly string[]): number {
  if (kind === '2') return 4;
  return kind === '5' ? 2 : 0;
}

/** Reads `5;n` or `2;r;g;b`. Returns null for anything else. */
function readExactColour([kind, ...values]: readonly string[]): Colour | null {
  const numbers = values.map(Number);
  const isByte = (value: number | undefined) => value !== undefined && value >= 0 && value <= 255;
  if (kind === '2') return numbers.slice(0, 3).every(isByte) ? writeHex(numbers) : null;
  const [index] = numbers;
  if (kind !== '5' || index === undefined || !isByte(index)) return null;
  if (index < 16) return colourNames[index] ?? null;
  if (index >= 232) return writeHex([1, 1, 1].map(() => 8 + (index - 232) * 10)); // greys
  const cube = index - 16;
  const steps = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return writeHex(steps.map(step => (step === 0 ? 0 : 55 + step * 40)));
}

function writeHex([red = 0, green = 0, blue = 0]: readonly number[]): Colour {
  return `#${[red, green, blue].map(value => value.toString(16).padStart(2, '0')).join('')}`;
}

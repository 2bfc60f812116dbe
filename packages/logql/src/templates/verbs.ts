/** Formats values like Go's `printf`. */
import { formatFloat, isList, isRecord, Moment, print, type Value } from './values.ts';

const directive = /%([-+# 0]*)(\d{0,4})(?:\.(\d{0,3}))?([^\d])?/gs;
const widthMax = 1_000;
const precisionMax = 100;

type Directive = { flags: string; width: number; precision: number | null; verb: string };

export function formatWith(layout: string, values: readonly Value[]): string {
  let place = 0;
  const text = layout.replaceAll(
    directive,
    (_, flags: string, width: string, precision: string | undefined, verb: string | undefined) => {
      if (verb === undefined) return '%!(NOVERB)';
      if (verb === '%') return '%';
      const value = values[place];
      if (value === undefined) return `%!${verb}(MISSING)`;
      place++;
      return formatValue(value, {
        flags,
        verb,
        width: Math.min(Number(width || 0), widthMax),
        precision: precision === undefined ? null : Math.min(Number(precision || 0), precisionMax),
      });
    },
  );
  const extra = values.slice(place).map(value => `${nameType(value)}=${print(value)}`);
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
}

/** Returns Go's name for the value's type. */
export function nameType(value: Value): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Moment) return 'time.Time';
  if (isList(value)) return '[]interface {}';
  return isRecord(value) ? 'map[string]interface {}' : '<nil>';
}

/** Like Go, formats each value of a list or an object. */
function formatValue(value: Value, asked: Directive): string {
  if (asked.verb !== 'T' && isList(value))
    return `[${value.map(each => formatInner(each, asked)).join(' ')}]`;
  if (asked.verb !== 'T' && isRecord(value)) {
    const names = Object.keys(value).sort();
    const format = (name: string) => `${formatValue(name, asked)}:${formatInner(value[name] ?? null, asked)}`;
    return `map[${names.map(format).join(' ')}]`;
  }
  if (value === null && asked.verb !== 'T') return asked.verb === 'v' ? '<nil>' : `%!${asked.verb}(<nil>)`;
  const text =
    typeof value === 'bigint' || typeof value === 'number'
      ? formatNumber(value, asked)
      : formatOther(value, asked);
  const shown = text ?? `%!${asked.verb}(${nameType(value)}=${print(value)})`;
  return text === null ? shown : pad(shown, asked, typeof value === 'bigint' || typeof value === 'number');
}

function formatInner(value: Value, asked: Directive): string {
  return value === null ? '<nil>' : formatValue(value, asked);
}

function pad(text: string, { flags, width }: Directive, isNumber: boolean): string {
  const length = [...text].length;
  if (length >= width) return text;
  const missing = width - length;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0')) return ' '.repeat(missing) + text;
  const sign = isNumber && /^[+-]/.test(text) ? text.slice(0, 1) : '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

/** Formats a number; null if the verb does not support it. */
function formatNumber(value: bigint | number, asked: Directive): string | null {
  const plain = typeof value === 'bigint' ? formatWhole(value, asked) : formatReal(value, asked);
  if (plain === null || plain.startsWith('-') || ['c', 'q', 'U', 'T'].includes(asked.verb)) return plain;
  if (asked.flags.includes('+')) return `+${plain}`;
  return asked.flags.includes(' ') ? ` ${plain}` : plain;
}

function formatWhole(value: bigint, { verb, flags }: Directive): string | null {
  const prefix = flags.includes('#') ? { x: '0x', X: '0X', o: '0', b: '0b' }[verb] : undefined;
  const inBase = (base: number) =>
    (value < 0n ? '-' : '') + (prefix ?? '') + (value < 0n ? -value : value).toString(base);
  const code = Number(value);
  const isCode = code >= 0 && code <= 0x10ffff;
  switch (verb) {
    case 'd':
    case 'v':
      return String(value);
    case 'x':
      return inBase(16);
    case 'X':
      return inBase(16).toUpperCase();
    case 'o':
      return inBase(8);
    case 'b':
      return inBase(2);
    case 'c':
      return isCode ? String.fromCodePoint(code) : '\ufffd';
    case 'q':
      return isCode ? `'${String.fromCodePoint(code)}'` : "'\ufffd'";
    case 'U':
      return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    case 'T':
      return 'int';
    default:
      return null;
  }
}

function formatReal(value: number, { verb, precision }: Directive): string | null {
  if (verb === 'T') return 'float64';
  if (!['f', 'F', 'e', 'E', 'g', 'G', 'v'].includes(verb)) return null;
  if (!Number.isFinite(value)) return formatFloat(value).replace('+', '');
  switch (verb) {
    case 'f':
    case 'F':
      return formatFixed(value, precision ?? 6);
    case 'e':
    case 'E': {
      const text = value
        .toExponential(precision ?? 6)
        .replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
      return verb === 'E' ? text.toUpperCase() : text;
    }
    default:
      return formatFloat(precision === null ? value : Number(value.toPrecision(Math.max(precision, 1))));
  }
}

const placesMax = 100; // JavaScript's limit, enough for every exact half

/** Formats with fixed places. Like Go, rounds halves to the even digit. */
function formatFixed(value: number, places: number): string {
  const exact = value.toFixed(placesMax);
  if (!/^-?\d+\./.test(exact)) return `${BigInt(value)}${places > 0 ? `.${'0'.repeat(places)}` : ''}`;
  const end = exact.length - placesMax + places;
  const isHalf = /^5?0*$/.test(exact.slice(end)) && exact[end] === '5';
  const cut = exact.slice(0, end).replace(/\.$/, '');
  return isHalf && /[02468]$/.test(cut) ? cut : value.toFixed(places);
}

function formatOther(value: Value, { verb, precision }: Directive): string | null {
  const cut = (text: string) => (precision === null ? text : [...text].slice(0, precision).join(''));
  if (verb === 'T') return nameType(value);
  if (verb === 'v') return print(value);
  if (typeof value === 'boolean') return verb === 't' ? String(value) : null;
  if (typeof value !== 'string') return verb === 's' ? print(value) : null;
  switch (verb) {
    case 's':
      return cut(value);
    case 'q':
      return JSON.stringify(cut(value));
    case 'x':
      return Buffer.from(cut(value)).toString('hex');
    case 'X':
      return Buffer.from(cut(value)).toString('hex').toUpperCase();
    default:
      return null;
  }
}

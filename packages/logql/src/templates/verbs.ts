/** Formats values like Go's `printf`. */
import { escapeCode, quote } from '../language/quotes.ts';
import { type Directive, LayoutReading } from './layouts.ts';
import { formatReal, formatWhole, pad, padText } from './numberVerbs.ts';
import { isList, isRecord, Moment, print, type Value } from './values.ts';

export function formatWith(layout: string, values: readonly Value[]): string {
  const reading = new LayoutReading(layout, values);
  let text = '';
  for (;;) {
    text += reading.takeText();
    if (reading.isAtEnd) break;
    text += reading.takeDirective(formatValue);
  }
  const extra = reading.rest.map(value => (value === null ? '<nil>' : `${nameType(value)}=${print(value)}`));
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
  if (asked.verb === 'T') return padText(nameType(value), asked);
  if (value === null) return asked.verb === 'v' ? padText('<nil>', asked) : `%!${asked.verb}(<nil>)`;
  if (asked.verb === 'v' && asked.flags.includes('#')) return formatSource(value, asked);
  if (asked.verb === 'v' && asked.flags.includes('+'))
    // asks for the names of fields, which no value here has
    return formatValue(value, { ...asked, flags: asked.flags.replaceAll('+', '') });
  if (isList(value)) return `[${value.map(each => formatInner(each, asked)).join(' ')}]`;
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    const format = (name: string) => `${formatValue(name, asked)}:${formatInner(value[name] ?? null, asked)}`;
    return `map[${names.map(format).join(' ')}]`;
  }
  const text = formatScalar(value, asked);
  if (text !== null) return text;
  // Go keeps the flags for the value that its verb does not fit.
  return `%!${asked.verb}(${nameType(value)}=${formatScalar(value, { ...asked, verb: 'v' }) ?? ''})`;
}

function formatInner(value: Value, asked: Directive): string {
  return value === null ? '<nil>' : formatValue(value, asked);
}

/** Returns null if the value has no such verb. */
function formatScalar(value: Exclude<Value, null>, asked: Directive): string | null {
  if (typeof value === 'bigint') return formatWhole(value, asked);
  if (typeof value === 'number') return formatReal(value, asked);
  if (typeof value === 'boolean')
    return asked.verb === 't' || asked.verb === 'v' ? padText(String(value), asked) : null;
  return formatText(typeof value === 'string' ? value : print(value), asked);
}

function formatText(text: string, asked: Directive): string | null {
  const { verb, precision, flags } = asked;
  const cut = () => (precision === null ? text : [...text].slice(0, precision).join(''));
  switch (verb) {
    case 's':
    case 'v':
      return padText(cut(), asked);
    case 'q':
      return padText(quoteAs(cut(), flags), asked);
    case 'x':
    case 'X':
      return formatBytes(text, asked);
    default:
      return null;
  }
}

function quoteAs(text: string, flags: string): string {
  if (flags.includes('#') && !/[`\p{Cc}\ufeff\ufffd]/u.test(text.replaceAll('\t', ''))) return `\`${text}\``;
  if (!flags.includes('+')) return quote(text);
  return quote(text).replaceAll(/[^\x00-\x7f]/gu, escapeCode);
}

/** Writes bytes in hexadecimal. A blank separates them, `#` prefixes them. */
function formatBytes(text: string, asked: Directive): string {
  const { flags, precision, verb } = asked;
  const bytes = Buffer.from(text).subarray(0, precision ?? undefined);
  if (bytes.length === 0) return padText('', asked);
  const prefix = flags.includes('#') ? '0x' : '';
  const parts = flags.includes(' ')
    ? Array.from(bytes, byte => prefix + byte.toString(16).padStart(2, '0')).join(' ')
    : prefix + bytes.toString('hex');
  return padText(verb === 'X' ? parts.toUpperCase() : parts, asked);
}

/** Formats a value as Go's source text. */
function formatSource(value: Value, asked: Directive): string {
  if (value === null) return 'interface {}(nil)';
  const inner = (each: Value) => formatSource(each, asked);
  if (isList(value)) return `[]interface {}{${value.map(inner).join(', ')}}`;
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    return `map[string]interface {}{${names.map(name => `${quote(name)}:${inner(value[name] ?? null)}`).join(', ')}}`;
  }
  if (typeof value === 'string') return padText(quote(value), asked);
  const plain = { ...asked, flags: asked.flags.replaceAll('#', '') };
  return formatScalar(value, plain) ?? pad(print(value), asked);
}

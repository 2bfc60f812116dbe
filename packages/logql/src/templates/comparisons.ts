/** The built-in functions of Go templates: comparisons, indexes, formats. */
import { bound } from './results.ts';
import {
  isList,
  isRecord,
  isTrue,
  print,
  TemplateFailure,
  type TemplateFunction,
  toFloat,
  toInteger,
  toText,
  type Value,
} from './values.ts';
import { formatWith, nameType } from './verbs.ts';

export function listComparisons(): Record<string, TemplateFunction> {
  const ordered =
    (holds: (order: number) => boolean): TemplateFunction =>
    (one = null, other = null) =>
      holds(order(one, other));
  return {
    eq: (one = null, ...others) => others.some(other => isSame(one, other)),
    ne: (one = null, other = null) => !isSame(one, other),
    lt: ordered(found => found < 0),
    le: ordered(found => found <= 0),
    gt: ordered(found => found > 0),
    ge: ordered(found => found >= 0),
    not: value => !isTrue(value ?? null),
    len: value => measure(value ?? null),
    index: (value = null, ...keys) => keys.reduce<Value>(pick, value),
    slice: (value = null, from, to) => slice(value, from, to),
    print: (...values) => bound(printBeside(values)),
    println: (...values) => bound(`${values.map(print).join(' ')}\n`),
    printf: (layout, ...values) => bound(formatWith(toText(layout), values)),
    urlquery: (...values) => encodeURIComponent(printBeside(values)).replaceAll('%20', '+'),
    js: (...values) => printBeside(values).replaceAll(/[\\'"<>&=\p{Cc}]/gu, escapeInScript),
    html: (...values) => printBeside(values).replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign),
  };
}

/** HTML entities as Go writes them. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Escapes like Go, which writes characters that could end a script as codes. */
function escapeInScript(sign: string): string {
  if (/[\\'"]/.test(sign)) return `\\${sign}`;
  return `\\u${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Prints values, with a blank between two neighbours if neither is a text. */
function printBeside(values: readonly Value[]): string {
  const isText = (value: Value | undefined) => typeof value === 'string';
  return values
    .map(
      (value, index) => (index > 0 && !isText(value) && !isText(values[index - 1]) ? ' ' : '') + print(value),
    )
    .join('');
}

/** null equals only null, and is comparable with anything. */
function isSame(one: Value, other: Value): boolean {
  return one === null || other === null ? one === other : order(one, other) === 0;
}

function order(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0;
  const isNumber = (value: Value) => typeof value === 'number' || typeof value === 'bigint';
  if (isNumber(one) && isNumber(other) && typeof one === typeof other) return toFloat(one) - toFloat(other);
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  throw new TemplateFailure(`incompatible types for comparison: ${nameType(one)} and ${nameType(other)}`);
}

function measure(value: Value): bigint {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value));
  if (isList(value)) return BigInt(value.length);
  if (isRecord(value)) return BigInt(Object.keys(value).length);
  throw new TemplateFailure('error calling len: the value has no length');
}

function pick(value: Value, key: Value): Value {
  if (isList(value)) {
    const found = value[Number(toInteger(key))];
    if (found === undefined) throw new TemplateFailure('error calling index: index out of range');
    return found;
  }
  if (typeof value === 'string') return pickByte(value, Number(toInteger(key)));
  if (!isRecord(value)) throw new TemplateFailure('error calling index: the value cannot be indexed');
  const name = toText(key);
  return Object.hasOwn(value, name) ? (value[name] ?? null) : '';
}

function pickByte(text: string, place: number): bigint {
  const byte = Buffer.from(text)[place];
  if (byte === undefined) throw new TemplateFailure(`error calling index: index out of range: ${place}`);
  return BigInt(byte);
}

function slice(value: Value, from: Value | undefined, to: Value | undefined): Value {
  const start = Number(toInteger(from));
  const end = to === undefined ? undefined : Number(toInteger(to));
  if (isList(value)) return value.slice(start, end);
  return Buffer.from(toText(value)).subarray(start, end).toString();
}

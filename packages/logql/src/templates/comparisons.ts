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
    eq: (one = null, ...others) => {
      if (others.length === 0) throw new TemplateFailure('error calling eq: missing argument for comparison');
      return others.some(other => isSame(one, other));
    },
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
    urlquery: (...values) => escapeForUrl(printBeside(values)),
    js: (...values) =>
      printBeside(values).replaceAll(/[\\'"<>&=]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeInScript),
    html: (...values) => printBeside(values).replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign),
  };
}

/** Go escapes more than `encodeURIComponent` does. */
function escapeForUrl(text: string): string {
  const escapeSign = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, escapeSign)
    .replaceAll('%20', '+');
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
    const found = value[readPlace('index', key)];
    if (found === undefined)
      throw new TemplateFailure(`error calling index: index out of range: ${print(key)}`);
    return found;
  }
  if (typeof value === 'string') return pickByte(value, readPlace('index', key));
  if (!isRecord(value)) throw new TemplateFailure('error calling index: the value cannot be indexed');
  if (typeof key !== 'string')
    throw new TemplateFailure(`error calling index: value has type ${nameType(key)}; should be string`);
  return Object.hasOwn(value, key) ? (value[key] ?? null) : '';
}

/** Only whole numbers are places. */
function readPlace(name: 'index' | 'slice', key: Value): number {
  if (typeof key === 'bigint') return Number(key);
  throw new TemplateFailure(`error calling ${name}: cannot index slice/array with type ${nameType(key)}`);
}

function pickByte(text: string, place: number): bigint {
  const byte = Buffer.from(text)[place];
  if (byte === undefined) throw new TemplateFailure(`error calling index: index out of range: ${place}`);
  return BigInt(byte);
}

function slice(value: Value, from: Value | undefined, to: Value | undefined): Value {
  if (!isList(value) && typeof value !== 'string')
    throw new TemplateFailure(`error calling slice: can't slice item of type ${nameType(value)}`);
  const whole = isList(value) ? value : Buffer.from(value);
  const [start = 0, end = whole.length] = [from, to].map(place =>
    place === undefined ? undefined : readPlace('slice', place),
  );
  for (const place of [start, end])
    if (place < 0 || place > whole.length)
      throw new TemplateFailure(`error calling slice: index out of range: ${place}`);
  if (start > end) throw new TemplateFailure(`error calling slice: invalid slice index: ${start} > ${end}`);
  return Buffer.isBuffer(whole) ? whole.subarray(start, end).toString() : whole.slice(start, end);
}

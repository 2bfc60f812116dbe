/** The functions that Go's templates have by themselves: comparisons, indexes, formats. */
import type { TemplateFunction } from './functions.ts';
import { bound } from './results.ts';
import {
  isList,
  isRecord,
  isTrue,
  print,
  TemplateFailure,
  toFloat,
  toInteger,
  toText,
  type Value,
} from './values.ts';

export function listComparisons(): Record<string, TemplateFunction> {
  const ordered =
    (holds: (order: number) => boolean): TemplateFunction =>
    (one = null, other = null) =>
      holds(order(one, other));
  return {
    eq: (one = null, ...others) => others.some(other => order(one, other) === 0),
    ne: ordered(found => found !== 0),
    lt: ordered(found => found < 0),
    le: ordered(found => found <= 0),
    gt: ordered(found => found > 0),
    ge: ordered(found => found >= 0),
    not: value => !isTrue(value ?? null),
    len: value => measure(value ?? null),
    index: (value = null, ...keys) => keys.reduce<Value>(pick, value),
    slice: (value = null, from, to) => slice(value, from, to),
    print: (...values) =>
      bound(values.map(print).join(values.every(each => typeof each === 'string') ? '' : ' ')),
    println: (...values) => bound(`${values.map(print).join(' ')}\n`),
    printf: (layout, ...values) => bound(formatWith(toText(layout), values)),
    urlquery: value => encodeURIComponent(toText(value)).replaceAll('%20', '+'),
    js: value => JSON.stringify(toText(value)).slice(1, -1),
    html: value => toText(value).replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`),
  };
}

function order(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0;
  const isNumber = (value: Value) => typeof value === 'number' || typeof value === 'bigint';
  if (isNumber(one) && isNumber(other) && typeof one === typeof other) return toFloat(one) - toFloat(other);
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  throw new TemplateFailure('incompatible types for comparison');
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
  if (!isRecord(value)) throw new TemplateFailure('error calling index: the value cannot be indexed');
  const name = toText(key);
  return Object.hasOwn(value, name) ? (value[name] ?? null) : '';
}

function slice(value: Value, from: Value | undefined, to: Value | undefined): Value {
  const start = Number(toInteger(from));
  const end = to === undefined ? undefined : Number(toInteger(to));
  if (isList(value)) return value.slice(start, end);
  return Buffer.from(toText(value)).subarray(start, end).toString();
}

function formatWith(layout: string, values: readonly Value[]): string {
  let place = 0;
  return layout.replaceAll(
    /%([-+# 0]*)(\d{0,4})(?:\.(\d{1,3}))?([a-zA-Z%])/g,
    (_, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (place >= values.length) return `%!${verb}(MISSING)`;
      const shown = formatVerb(values[place++] ?? null, { verb, precision, flags });
      const size = Math.min(Number(width || 0), 1_000);
      if (flags.includes('-')) return shown.padEnd(size);
      return shown.padStart(size, flags.includes('0') ? '0' : ' ');
    },
  );
}

type Verb = { verb: string; precision: string | undefined; flags: string };

function formatVerb(value: Value, { verb, precision, flags }: Verb): string {
  const digits = Math.min(Number(precision ?? 6), 100);
  const sign = flags.includes('+') && toFloat(value) >= 0 ? '+' : '';
  switch (verb) {
    case 'd':
      return typeof value === 'bigint' ? sign + String(value) : `%!d(${typeof value}=${print(value)})`;
    case 'f':
    case 'F':
      return typeof value === 'number'
        ? sign + value.toFixed(digits)
        : `%!f(${typeof value}=${print(value)})`;
    case 'x':
      return typeof value === 'bigint' ? value.toString(16) : Buffer.from(toText(value)).toString('hex');
    case 'q':
      return JSON.stringify(toText(value));
    case 's':
      return precision === undefined ? print(value) : [...print(value)].slice(0, digits).join('');
    default:
      return print(value);
  }
}

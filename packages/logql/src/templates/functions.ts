/** The template functions that Loki offers. */
import { compileExpression } from '../expressions.ts';
import { describeDurationMistake, parseGoDuration, toSeconds } from '../language/durations.ts';
import { describeSizeMistake, parseSize } from '../language/sizes.ts';
import { listComparisons } from './comparisons.ts';
import { decimalOperators } from './decimals.ts';
import { formatTime, parseTime } from './goTimes.ts';
import { bound, resultCharactersMax } from './results.ts';
import { changeCase, cut, truncate } from './textParts.ts';
import {
  isTrue,
  Moment,
  TemplateFailure,
  type TemplateFunction,
  toFloat,
  toInteger,
  toText,
  type Value,
} from './values.ts';

export const functions: Readonly<Record<string, TemplateFunction>> = {
  ...listTextFunctions(),
  ...listNumberFunctions(),
  ...listTimeFunctions(),
  ...listComparisons(),
};

function listTextFunctions(): Record<string, TemplateFunction> {
  const text =
    (work: (text: string) => string): TemplateFunction =>
    value =>
      work(toText(value));
  const lower = text(value => changeCase(value, sign => sign.toLowerCase()));
  const upper = text(value => changeCase(value, sign => sign.toUpperCase()));
  const trim = text(value => value.trim());
  return {
    lower,
    ToLower: lower,
    upper,
    ToUpper: upper,
    trim,
    TrimSpace: trim,
    title: text(value => value.replaceAll(/(?<![\p{L}\p{N}_])\p{L}/gu, first => first.toUpperCase())),
    trunc: (length, value) => truncate(Number(toInteger(length)), toText(value)),
    substr: (start, end, value) => cut(Number(toInteger(start)), Number(toInteger(end)), toText(value)),
    contains: (part, value) => toText(value).includes(toText(part)),
    hasPrefix: (part, value) => toText(value).startsWith(toText(part)),
    hasSuffix: (part, value) => toText(value).endsWith(toText(part)),
    indent: (width, value) => indent(width, toText(value)),
    nindent: (width, value) => `\n${indent(width, toText(value))}`,
    replace: (old, fresh, value) => bound(toText(value).replaceAll(toText(old), () => toText(fresh))),
    Replace: (...values) => replaceSome(values.map(toText)),
    repeat: (count, value) => repeat(toText(value), Number(toInteger(count))),
    trimAll: (signs, value) => trimSigns(toText(value), toText(signs), 'both'),
    Trim: (value, signs) => trimSigns(toText(value), toText(signs), 'both'),
    TrimLeft: (value, signs) => trimSigns(toText(value), toText(signs), 'left'),
    TrimRight: (value, signs) => trimSigns(toText(value), toText(signs), 'right'),
    trimPrefix: (part, value) => withoutPrefix(toText(value), toText(part)),
    TrimPrefix: (value, part) => withoutPrefix(toText(value), toText(part)),
    trimSuffix: (part, value) => withoutSuffix(toText(value), toText(part)),
    TrimSuffix: (value, part) => withoutSuffix(toText(value), toText(part)),
    alignLeft: (width, value) => align(Number(toInteger(width)), toText(value), 'left'),
    alignRight: (width, value) => align(Number(toInteger(width)), toText(value), 'right'),
    b64enc: text(value => Buffer.from(value).toString('base64')),
    b64dec: text(decodeBase64),
    urlencode: text(value =>
      encodeURIComponent(value)
        .replaceAll('%20', '+')
        .replaceAll(/[!'()*]/g, escapeSign),
    ),
    urldecode: text(decodeUrl),
    regexReplaceAll: (expression, value, fresh) =>
      bound(compileInTemplate(toText(expression)).replaceAll(toText(value), toText(fresh))),
    regexReplaceAllLiteral: (expression, value, fresh) =>
      bound(
        compileInTemplate(toText(expression)).replaceAll(
          toText(value),
          toText(fresh).replaceAll('$', '$$$$'),
        ),
      ),
    count: (expression, value) => BigInt(compileInTemplate(toText(expression)).count(toText(value))),
    default: (otherwise, value) => (value === undefined || !isTrue(value) ? (otherwise ?? '') : value),
    fromJson: value => readJson(toText(value)),
    bytes: value => readBytes(toText(value)),
  };
}

function listNumberFunctions(): Record<string, TemplateFunction> {
  const whole =
    (join: (one: bigint, other: bigint) => bigint): TemplateFunction =>
    (...values) =>
      BigInt.asIntN(64, values.map(toInteger).reduce(join));
  const real =
    (join: (one: number, other: number) => number): TemplateFunction =>
    (...values) =>
      values.map(toFloat).reduce(join);
  const sum = whole((one, other) => one + other);
  const sumReal = real(decimalOperators.addf);
  const requireDivisor = (divisor: bigint) => {
    if (divisor === 0n) throw new TemplateFailure('runtime error: integer divide by zero');
    return divisor;
  };
  const least = (one: bigint, other: bigint) => (one < other ? one : other);
  const most = (one: bigint, other: bigint) => (one > other ? one : other);
  return {
    int: toInteger,
    float64: toFloat,
    add: (...values) => sum(0n, ...values),
    sub: whole((one, other) => one - other),
    mul: whole((one, other) => one * other),
    div: whole((one, other) => one / requireDivisor(other)),
    mod: whole((one, other) => one % requireDivisor(other)),
    addf: (...values) => sumReal(0, ...values),
    subf: real(decimalOperators.subf),
    mulf: real(decimalOperators.mulf),
    divf: real(decimalOperators.divf),
    max: whole(most),
    min: whole(least),
    maxf: real((one, other) => Math.max(one, other)),
    minf: real((one, other) => Math.min(one, other)),
    ceil: value => Math.ceil(toFloat(value)),
    floor: value => Math.floor(toFloat(value)),
    round: (value, places, limit = 0.5) => round(toFloat(value), Number(toInteger(places)), toFloat(limit)),
  };
}

function listTimeFunctions(): Record<string, TemplateFunction> {
  const duration: TemplateFunction = value => {
    const ns = parseGoDuration(toText(value));
    if (ns === null) throw new TemplateFailure(describeDurationMistake(toText(value)));
    return toSeconds(ns);
  };
  const since =
    (divisor: bigint): TemplateFunction =>
    value =>
      String(readMoment(value).nanos / divisor);
  return {
    duration,
    duration_seconds: duration,
    now: readNow,
    date: (layout, value) => formatTime(readMoment(value), toText(layout)),
    toDate: (layout, value) => parseTime(toText(layout), toText(value)),
    toDateInZone: (layout, zone, value) => parseTime(toText(layout), toText(value), toText(zone)),
    unixToTime: value => readEpoch(toText(value)),
    unixEpoch: since(1_000_000_000n),
    unixEpochMillis: since(1_000_000n),
    unixEpochNanos: since(1n),
  };
}

/** Reads a whole number as seconds. As in Loki's library, anything else means the current time. */
function readMoment(value: Value | undefined): Moment {
  if (value instanceof Moment) return value;
  return typeof value === 'bigint' ? new Moment(value * 1_000_000_000n) : readNow();
}

function readNow(): Moment {
  return new Moment(BigInt(Date.now()) * 1_000_000n);
}

function compileInTemplate(source: string) {
  try {
    return compileExpression(source);
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    throw new TemplateFailure(sentence.replace(/^parse error : /, ''));
  }
}

function repeat(text: string, count: number): string {
  if (count < 0) throw new TemplateFailure('strings: negative Repeat count');
  if (text.length * count > resultCharactersMax) bound(' '.repeat(resultCharactersMax + 1));
  return text.repeat(count);
}

function indent(width: Value | undefined, text: string): string {
  const blanks = repeat(' ', Number(toInteger(width)));
  return bound(blanks + text.replaceAll('\n', `\n${blanks}`));
}

function replaceSome([text = '', old = '', fresh = '', count = '-1']: readonly string[]): string {
  let left = Number(toInteger(count));
  if (left < 0) return bound(text.replaceAll(old, () => fresh));
  return bound(text.replaceAll(old, found => (left-- > 0 ? fresh : found)));
}

function trimSigns(text: string, signs: string, side: 'left' | 'right' | 'both'): string {
  const set = new Set(signs);
  const characters = [...text];
  let start = 0;
  let end = characters.length;
  while (side !== 'right' && start < end && set.has(characters[start] ?? '')) start++;
  while (side !== 'left' && end > start && set.has(characters[end - 1] ?? '')) end--;
  return characters.slice(start, end).join('');
}

function withoutPrefix(text: string, part: string): string {
  return text.startsWith(part) ? text.slice(part.length) : text;
}

function withoutSuffix(text: string, part: string): string {
  return part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text;
}

function align(width: number, text: string, side: 'left' | 'right'): string {
  const characters = [...text];
  const missing = width - characters.length;
  if (width < 0) return text;
  if (missing > 0) return side === 'left' ? text + repeat(' ', missing) : repeat(' ', missing) + text;
  return (side === 'left' ? characters.slice(0, width) : characters.slice(-width || characters.length)).join(
    '',
  );
}

/** Decodes like Go: for invalid base64, the result is Go's error message. */
function decodeBase64(text: string): string {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const end = /^(?:[A-Za-z0-9+/]{4})*/.exec(plain)?.[0].length ?? 0;
  const isWhole = /^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain.slice(end));
  if (isWhole) return Buffer.from(plain, 'base64').toString();
  const place = end + (/^[A-Za-z0-9+/]*/.exec(plain.slice(end))?.[0].length ?? 0);
  return `illegal base64 data at input byte ${place < plain.length ? place : end}`;
}

const daySeconds = 86_400n;
/** The unit of a timestamp in nanoseconds, by its number of digits. */
const epochNanos: Readonly<Record<number, bigint>> = {
  5: daySeconds * 1_000_000_000n,
  10: 1_000_000_000n,
  13: 1_000_000n,
  16: 1_000n,
  19: 1n,
};

/** Reads days, seconds, milliseconds, microseconds or nanoseconds since 1970. */
function readEpoch(text: string): Moment {
  const unit = /^\d+$/.test(text) ? epochNanos[text.length] : undefined;
  if (unit === undefined)
    throw new TemplateFailure(
      /^[+-]?\d+$/.test(text)
        ? `unable to parse time '${text}': %!w(<nil>)`
        : `unable to parse time '${text}': strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return new Moment(BigInt(text) * unit);
}

function escapeSign(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Decodes byte by byte, like Go. The result need not be UTF-8. */
function decodeUrl(text: string): string {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text);
  if (wrong !== null) throw new TemplateFailure(`invalid URL escape ${JSON.stringify(wrong[0])}`);
  const plain = text.replaceAll('+', ' ');
  return plain.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, codes =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
  );
}

function round(value: number, places: number, limit: number): number {
  const factor = 10 ** places;
  const digit = factor * value;
  const fraction = digit % 1; // as in Loki, fractions of negative numbers never reach the limit
  return (fraction >= limit ? Math.ceil(digit) : Math.floor(digit)) / factor;
}

function readJson(text: string): Value {
  try {
    // Templates accept every JSON value.
    return JSON.parse(text) as Value;
  } catch {
    return null;
  }
}

function readBytes(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new TemplateFailure(describeSizeMistake(text));
  return bytes;
}

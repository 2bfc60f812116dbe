/** Formats and parses times with Go's layouts, such as `2006-01-02T15:04:05.000Z07:00`. */
import { fractionOf, Moment } from './values.ts';

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
].concat(['November', 'December']);
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const element =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|Z07(?::?00){0,2}|-07(?::?00){0,2}|[.,](?:0+|9+)(?!\d)|002|__2|01|02|03|04|05|06|15|PM|pm|_2(?!006)|1|2|3|4|5/g;

const dayMs = 86_400_000;

type Parts = { date: Date; nanos: number };

/** Formats in UTC. */
export function formatTime(moment: Moment, layout: string): string {
  const fraction = fractionOf(moment);
  const parts = { date: new Date(Number((moment.nanos - fraction) / 1_000_000n)), nanos: Number(fraction) };
  return layout.replaceAll(element, sign => formatElement(sign, parts));
}

function pad(number: number, width = 2): string {
  return String(number).padStart(width, '0');
}

function formatElement(sign: string, { date, nanos }: Parts): string {
  const hour = date.getUTCHours();
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  const month = date.getUTCMonth();
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / dayMs) + 1;
  const simple: Readonly<Record<string, string>> = {
    January: months[month] ?? '',
    Jan: (months[month] ?? '').slice(0, 3),
    Monday: days[date.getUTCDay()] ?? '',
    Mon: (days[date.getUTCDay()] ?? '').slice(0, 3),
    MST: 'UTC',
    '2006': pad(date.getUTCFullYear(), 4),
    '06': pad(date.getUTCFullYear() % 100),
    '01': pad(month + 1),
    '1': String(month + 1),
    '02': pad(date.getUTCDate()),
    _2: String(date.getUTCDate()).padStart(2),
    '2': String(date.getUTCDate()),
    '002': pad(dayOfYear, 3),
    __2: String(dayOfYear).padStart(3),
    '15': pad(hour),
    '03': pad(twelve),
    '3': String(twelve),
    '04': pad(date.getUTCMinutes()),
    '4': String(date.getUTCMinutes()),
    '05': pad(date.getUTCSeconds()),
    '5': String(date.getUTCSeconds()),
    PM: hour < 12 ? 'AM' : 'PM',
    pm: hour < 12 ? 'am' : 'pm',
  };
  if (Object.hasOwn(simple, sign)) return simple[sign] ?? '';
  if (/[.,]/.test(sign)) {
    const digits = pad(nanos, 9).slice(0, sign.length - 1);
    const kept = sign.endsWith('9') ? digits.replace(/0+$/, '') : digits;
    return kept === '' ? '' : (sign[0] ?? '') + kept;
  }
  return formatZone(sign);
}

function formatZone(sign: string): string {
  if (sign.startsWith('Z')) return 'Z';
  return sign.replace('-07', '+00');
}

/** Finds the offset east of Greenwich. Unknown zones count as UTC. */
function findOffset(ms: number, zone: string): number {
  if (zone === 'UTC') return 0;
  try {
    const text = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(ms)
      .find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):?(\d+)?/.exec(text ?? '') ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return 0;
  }
}

const readable: Readonly<Record<string, string>> = {
  '2006': '(?<year>\\d{4})',
  '06': '(?<shortYear>\\d{2})',
  '01': '(?<month>\\d{2})',
  '1': '(?<month>\\d{1,2})',
  Jan: `(?<monthName>${anyOf(months.map(name => name.slice(0, 3)))})`,
  January: `(?<monthName>${anyOf(months)})`,
  '02': '(?<day>\\d{2})',
  _2: '\\s?(?<day>\\d{1,2})',
  '2': '(?<day>\\d{1,2})',
  '002': '(?<yearDay>\\d{3})',
  __2: ' {0,2}(?<yearDay>\\d{1,3})',
  Mon: anyOf(days.map(name => name.slice(0, 3))),
  Monday: anyOf(days),
  '15': '(?<hour>\\d{1,2})',
  '03': '(?<twelve>\\d{2})',
  '3': '(?<twelve>\\d{1,2})',
  '04': '(?<minute>\\d{2})',
  '4': '(?<minute>\\d{1,2})',
  '05': '(?<second>\\d{2})',
  '5': '(?<second>\\d{1,2})',
  PM: '(?<half>[AP]M)',
  pm: '(?<half>[ap]m)',
  MST: '[A-Z]{3,4}',
};

/** Any of the names, whatever the size of the letters. */
function anyOf(names: readonly string[]): string {
  const either = (letter: string) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`;
  return `(?:${names.map(name => [...name].map(either).join('')).join('|')})`;
}

/** If the text does not match the layout, returns Go's zero time. */
export function parseTime(layout: string, text: string, zone = 'UTC'): Moment {
  let source = '';
  let end = 0;
  for (const found of layout.matchAll(element)) {
    source += escapeText(layout.slice(end, found.index));
    end = found.index + found[0].length;
    const part = readElement(found[0], layout.slice(end));
    source += part.replaceAll(/\(\?<(\w+)/g, `(?<$1_${end}`); // an element may occur twice
  }
  const found = new RegExp(`^${source}${escapeText(layout.slice(end))}$`).exec(text);
  return found === null ? zeroTime : (composeTime(joinParts(found.groups ?? {}), zone) ?? zeroTime);
}

const fraction = '(?:[.,](?<more>\\d+))?';

/** Seconds accept a fraction, unless the layout says which. */
function readElement(sign: string, behind: string): string {
  if (/^[.,]/.test(sign)) return sign.endsWith('9') ? fraction : `[.,](?<more>\\d{${sign.length - 1}})`;
  const part = readable[sign] ?? '(?<zone>Z|[+-]\\d{2}(?::?\\d{2}){0,2})';
  return sign.endsWith('5') && sign !== '15' && !/^[.,](?:0+|9+)(?!\d)/.test(behind) ? part + fraction : part;
}

/** Of an element that occurs twice, the last one counts. */
function joinParts(groups: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = Object.entries(groups).flatMap(([name, text]) =>
    text === undefined ? [] : [[name.replace(/_\d+$/, ''), text] as const],
  );
  return Object.fromEntries(found);
}

const zeroTime = new Moment(-62_135_596_800_000_000_000n);

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Returns null for a time that does not exist. */
function composeTime(parts: Readonly<Record<string, string>>, zone: string): Moment | null {
  const read = (name: string, otherwise: number) => Number(parts[name] ?? otherwise);
  const { shortYear, monthName, half, yearDay, more = '', zone: offset } = parts;
  const year =
    shortYear === undefined ? read('year', 0) : Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900);
  const named = months.findIndex(
    name => name.slice(0, 3).toLowerCase() === monthName?.slice(0, 3).toLowerCase(),
  );
  const month = named >= 0 ? named : read('month', 1) - 1;
  const isOfYear = yearDay !== undefined && monthName === undefined && parts.month === undefined;
  const [twelve, isAfternoon] = [read('twelve', read('hour', 0)), half?.toLowerCase() === 'pm'];
  const hour = half === undefined ? twelve : (twelve % 12) + (isAfternoon ? 12 : 0);
  const [minute, second] = [read('minute', 0), read('second', 0)];
  if (hour > 23 || read('hour', 0) > 23 || read('twelve', 0) > 12 || minute > 59 || second > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, isOfYear ? 0 : month, isOfYear ? Number(yearDay) : read('day', 1));
  const isKnown = isOfYear ? date.getUTCFullYear() === year : date.getUTCMonth() === month;
  if (!isKnown || read('day', 1) === 0 || yearDay === '000') return null;
  date.setUTCHours(hour, minute, second);
  const guess = date.getTime();
  const minutes = offset === undefined ? findOffset(guess, zone) : readOffset(offset);
  return new Moment(BigInt(guess - minutes * 60_000) * 1_000_000n + BigInt(more.padEnd(9, '0').slice(0, 9)));
}

function readOffset(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

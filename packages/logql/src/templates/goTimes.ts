/** Formats and parses times with Go's layouts, such as `2006-01-02T15:04:05.000Z07:00`. */
import { Moment } from './values.ts';

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
  /January|Jan|Monday|Mon|MST|2006|Z07:00|Z0700|Z07|-07:00|-0700|-07|[.,](?:0+|9+)(?!\d)|002|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5/g;

type Parts = { date: Date; nanos: number };

/** Formats in UTC. */
export function formatTime({ nanos }: Moment, layout: string): string {
  const date = new Date(Number(nanos / 1_000_000n));
  const parts = { date, nanos: Number(nanos % 1_000_000_000n) };
  return layout.replaceAll(element, sign => formatElement(sign, parts));
}

function pad(number: number, width = 2): string {
  return String(number).padStart(width, '0');
}

function formatElement(sign: string, { date, nanos }: Parts): string {
  const hour = date.getUTCHours();
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  const month = date.getUTCMonth();
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
    '002': pad(Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / 86_400_000) + 1, 3),
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
  if (sign.includes(':')) return '+00:00';
  return sign.length <= 3 ? '+00' : '+0000';
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
  Jan: '(?<monthName>[A-Za-z]{3})',
  January: '(?<monthName>[A-Za-z]+)',
  '02': '(?<day>\\d{2})',
  _2: '\\s?(?<day>\\d{1,2})',
  '2': '(?<day>\\d{1,2})',
  Mon: '[A-Za-z]{3}',
  Monday: '[A-Za-z]+',
  '15': '(?<hour>\\d{2})',
  '03': '(?<hour>\\d{2})',
  '3': '(?<hour>\\d{1,2})',
  '04': '(?<minute>\\d{2})',
  '4': '(?<minute>\\d{1,2})',
  '05': '(?<second>\\d{2})(?:[.,](?<more>\\d+))?',
  '5': '(?<second>\\d{1,2})(?:[.,](?<more>\\d+))?',
  PM: '(?<half>[AP]M)',
  pm: '(?<half>[ap]m)',
  MST: '[A-Z]{3,4}',
};

/** If the text does not match the layout, returns Go's zero time. */
export function parseTime(layout: string, text: string, zone = 'UTC'): Moment {
  let source = '';
  let end = 0;
  for (const found of layout.matchAll(element)) {
    source += escapeText(layout.slice(end, found.index));
    end = found.index + found[0].length;
    if (/^[.,]/.test(found[0])) continue; // the seconds always accept a fraction
    source += readable[found[0]] ?? '(?<zone>Z|[+-]\\d{2}:?(?:\\d{2})?)';
  }
  const parts = compileLayout(`^${source}${escapeText(layout.slice(end))}$`)?.exec(text)?.groups;
  return parts === undefined ? zeroTime : composeTime(parts, zone);
}

const zeroTime = new Moment(-62_135_596_800_000_000_000n);

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Compiles a layout's expression; null if an element occurs twice. */
function compileLayout(source: string): RegExp | null {
  try {
    return new RegExp(source);
  } catch {
    return null;
  }
}

function composeTime(parts: Readonly<Record<string, string | undefined>>, zone: string): Moment {
  const read = (name: string, otherwise: number) => Number(parts[name] ?? otherwise);
  const { shortYear, monthName, half, more = '', zone: offset } = parts;
  const year =
    shortYear === undefined ? read('year', 0) : Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900);
  const named = months.findIndex(
    name => name.slice(0, 3).toLowerCase() === monthName?.slice(0, 3).toLowerCase(),
  );
  const month = named >= 0 ? named : read('month', 1) - 1;
  const hour = (read('hour', 0) % (half === undefined ? 24 : 12)) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const date = new Date(0);
  date.setUTCFullYear(year, month, read('day', 1));
  date.setUTCHours(hour, read('minute', 0), read('second', 0));
  const guess = date.getTime();
  const minutes = offset === undefined ? findOffset(guess, zone) : readOffset(offset);
  return new Moment(BigInt(guess - minutes * 60_000) * 1_000_000n + BigInt(more.padEnd(9, '0').slice(0, 9)));
}

function readOffset(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Reads times from the command line, and formats them for entries. */

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const span = /^(\d{1,9})([smhdw])/;
const instant =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)? ?(Z|z|[+-]\d\d:?\d\d)?$/;

/**
 * Returns an RFC 3339 instant for a span before now (`90s`, `1h30m`, `2d`), a day, or a day and time, in UTC or local time. Returns null for anything
 * else. RFC 3339 instants keep their digits.
 */
export function readMoment(text: string, { now, isUtc }: { now: number; isUtc: boolean }): string | null {
  const ago = readSpanMs(text);
  const moment = ago === null ? readInstant(text, isUtc) : new Date(now - ago);
  if (moment === null || typeof moment === 'string') return moment;
  return Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 0 ? null : moment.toISOString();
}

function readSpanMs(text: string): number | null {
  let sumMs = 0;
  let rest = text;
  while (rest !== '') {
    const [part, count, unit = ''] = span.exec(rest) ?? [];
    if (part === undefined) return null;
    sumMs += Number(count) * (unitsMs[unit] ?? 0);
    rest = rest.slice(part.length);
  }
  return text === '' ? null : sumMs;
}

function readInstant(text: string, isUtc: boolean): Date | string | null {
  const [whole, year, month, day, hours = '00', minutes = '00', seconds = '00', fraction, zone] =
    instant.exec(text) ?? [];
  if (whole === undefined) return null;
  const plain = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}${fraction ? `.${fraction}` : ''}`;
  const known = zone ?? (isUtc ? 'Z' : '');
  // Without a zone, `Date` uses local time.
  const moment = new Date(known === '' ? plain : plain + writeZone(known));
  if (Number.isNaN(moment.getTime())) return null;
  return known === '' ? moment : plain + writeZone(known);
}

function writeZone(zone: string): string {
  return /^z$/i.test(zone) ? 'Z' : zone.replace(/^(...):?/, '$1:');
}

/** `2026-01-02 03:04:05.678` in local time, or with a Z in UTC. */
export function formatTime(timestamp: string, isUtc: boolean): string {
  if (isUtc) return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 23)}Z`;
  const at = new Date(timestamp);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())].join(
    '-',
  );
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${day} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

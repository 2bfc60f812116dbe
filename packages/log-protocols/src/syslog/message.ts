/** Reads a syslog message in the format of RFC 5424 or RFC 3164, or with just a priority. */

import { parseInstantMicros } from '@tapedeck/values/json';
import { aheadMsMax, fitEntry } from '../reading/entryLimiting.ts';
import { setOwn } from '../reading/fields.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import type { SentEntry } from '../reading/sentEntry.ts';
import type { SyslogMessage } from './frames.ts';

const facilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
  'ntp',
  'audit',
  'alert',
  'clock',
  'local0',
  'local1',
  'local2',
  'local3',
  'local4',
  'local5',
  'local6',
  'local7',
];
const usualPriority = 13; // facility user, severity notice: RFC 3164, 4.3.3
const priorityMax = 191; // facility local7, severity debug
const nil = '-';

type Parts = {
  timestamp: number | null;
  /** The time as sent. */
  time: string;
  host: string;
  program: string;
  processId: string;
  messageId: string;
  data: Record<string, Record<string, unknown>>;
  text: string;
};

/** `now` provides the year, which RFC 3164 leaves out. */
export function readMessage({ bytes, sentBytes }: SyslogMessage, now: number): SentEntry {
  const whole = bytes.toString('utf8').replace(/^\ufeff(?=<)/, '');
  const [head = '', digits = ''] = /^<(\d{1,3})>/.exec(whole) ?? [];
  const isGiven = head !== '' && Number(digits) <= priorityMax;
  const priority = isGiven ? Number(digits) : usualPriority;
  const rest = isGiven ? whole.slice(head.length) : whole;
  const parts = readModern(rest) ?? readTraditional(rest, now) ?? readBare(rest, isGiven);
  const metadata: Record<string, unknown> = { facility: facilities[priority >> 3] };
  if (parts.host !== '') metadata.host = parts.host;
  if (parts.processId !== '') metadata.pid = parts.processId;
  if (parts.messageId !== '') metadata.msgid = parts.messageId;
  for (const name in parts.data)
    setOwn(metadata, Object.hasOwn(metadata, name) ? `data.${name}` : name, parts.data[name]);
  const isTime = parts.timestamp !== null && parts.timestamp <= now + aheadMsMax && parts.timestamp >= 0;
  if (!isTime && parts.time !== '')
    setOwn(metadata, Object.hasOwn(metadata, 'timestamp') ? 'sent.timestamp' : 'timestamp', parts.time);
  return {
    dataset: null,
    level: readLevelNumber(priority & 7) ?? 'info',
    timestamp: isTime ? (parts.timestamp ?? undefined) : undefined,
    ...fitEntry({
      message: parts.text,
      resource: parts.program,
      metadata,
      unreadBytes: sentBytes - bytes.length,
    }),
  };
}

/** Reads RFC 5424: `1 TIME HOST PROGRAM PROCESS MESSAGE-ID DATA TEXT`. */
function readModern(text: string): Parts | null {
  const found = /^1 (\S+) (\S+) (\S+) (\S+) (\S+) ?/.exec(text);
  if (found === null) return null;
  const [head, time = '', host = '', program = '', processId = '', messageId = ''] = found;
  if (time !== nil && parseInstantMicros(time) === null) return null;
  const { data, end } = readData(text, head.length);
  return {
    timestamp: time === nil ? null : readInstant(time),
    time: unlessNil(time),
    host: unlessNil(host),
    program: unlessNil(program),
    processId: unlessNil(processId),
    messageId: unlessNil(messageId),
    data,
    text: text.slice(end).replace(separator, ''),
  };
}

/** rsyslog keeps the blank behind an old tag in the text, so it sends two. More blanks indent the text. */
const separator = /^(?: {2}(?! )| )?\ufeff?/;

function unlessNil(text: string): string {
  return text === nil ? '' : text;
}

function readInstant(text: string): number | null {
  const micros = parseInstantMicros(text);
  return micros === null ? null : micros / 1000;
}

const element = /\[([^\s="\]]{1,255})((?: [^\s="\]]{1,255}="(?:[^"\\]|\\.)*")*) ?\]/sy;
const parameter = / ([^\s="\]]{1,255})="((?:[^"\\]|\\.)*)"/gs;

/** Leaves anything but structured data in the text. */
function readData(text: string, start: number): { data: Parts['data']; end: number } {
  const data: Parts['data'] = {};
  if (text[start] === nil) return { data, end: start + 1 };
  let end = start;
  for (;;) {
    element.lastIndex = end;
    const found = element.exec(text);
    if (found === null) return { data, end };
    const [, id = '', parameters = ''] = found;
    const values = Object.hasOwn(data, id) ? (data[id] ?? {}) : {};
    for (const [, name = '', value = ''] of parameters.matchAll(parameter)) {
      const plain = value.replaceAll(/\\(["\\\]])/g, '$1');
      const before = Object.hasOwn(values, name) ? values[name] : undefined;
      if (Array.isArray(before)) before.push(plain);
      else setOwn(values, name, before === undefined ? plain : [before, plain]);
    }
    setOwn(data, id, values);
    end = element.lastIndex;
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const shortTime = /^([A-Z][a-z]{2}) {1,2}(\d{1,2})(?: (\d{4}))? (\d\d):(\d\d):(\d\d)(\.\d{1,6})? /;

/** Reads RFC 3164: `Oct 11 22:14:15 HOST PROGRAM[PROCESS]: TEXT`. Some daemons write the full time. */
function readTraditional(text: string, now: number): Parts | null {
  const [head = '', instant = ''] = /^(\d{4}-\d\d-\d\dT\S+) /.exec(text) ?? [];
  const full = instant === '' ? null : readInstant(instant);
  const short = full === null ? shortTime.exec(text) : null;
  const timestamp = full ?? (short && readShortTime(short, now));
  if (timestamp === null) return null;
  const time = short === null ? instant : short[0].trim();
  const rest = text.slice(short === null ? head.length : short[0].length);
  const [hostHead = '', host = ''] = /^([^\s:[\]]+) /.exec(rest) ?? [];
  return {
    ...readBare('', false),
    ...readTag(rest.slice(hostHead.length), timedTag),
    timestamp,
    time,
    host,
  };
}

/** Uses this machine's time zone, which most senders share, and the year that puts the time closest in the past. */
function readShortTime(found: RegExpExecArray, now: number): number | null {
  const [, name = '', day, year, hours, minutes, seconds, fraction = '0'] = found;
  const month = months.indexOf(name);
  if (month === -1) return null;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null; // 60: a leap second
  const inYear = (of: number) => {
    const date = new Date(of, month, Number(day), Number(hours), Number(minutes), Number(seconds));
    // `Date` would turn a day that the month lacks into one of the next month.
    return new Date(of, month, Number(day)).getMonth() === month && Number(day) > 0
      ? date.getTime() + Math.floor(Number(fraction) * 1e6) / 1000
      : null;
  };
  if (year !== undefined) return inYear(Number(year));
  const thisYear = new Date(now).getFullYear();
  const time = inYear(thisYear);
  return time === null || time > now + aheadMsMax ? inYear(thisYear - 1) : time;
}

const tag = /^([^\s:[\]]{1,48})(?:\[([^\s\]]{1,128})\])?: ?/;
/** rsyslog writes no colon when it forwards a message of RFC 5424 in the older format. */
const timedTag = /^([^\s:[\]]{1,48})(?:\[([^\s\]]{1,128})\](?:: ?| )|: ?)\ufeff?/;

function readTag(text: string, pattern: RegExp): Pick<Parts, 'program' | 'processId' | 'text'> {
  const [head = '', program = '', processId = ''] = pattern.exec(text) ?? [];
  return { program, processId, text: text.slice(head.length) };
}

/** Words in front of a colon that say how bad something is. No program has such a name. */
const complaint =
  /^(?:trace|debug|info|notice|warn|err|crit|critical|alert|emerg|fatal|panic|.*(?:error|exception|warning|failure))$/i;

/**
 * Reads a text without a time. The first word is the program if a process id follows or, as in rsyslog, if `: ` follows behind a priority. Python's
 * handler sends its `ident` so.
 */
function readBare(text: string, isPrioritized: boolean): Parts {
  const found = readTag(text, tag);
  const isProgram =
    found.processId !== '' ||
    (isPrioritized && /^[A-Za-z][^\s:[\]]*: /.test(text) && !complaint.test(found.program));
  const { program, processId, text: said } = isProgram ? found : { program: '', processId: '', text };
  return { timestamp: null, time: '', host: '', program, processId, messageId: '', data: {}, text: said };
}

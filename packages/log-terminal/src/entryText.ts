/** Formats one log entry as lines of text. */
import type { Style } from '@tapedeck/values/colour-codes';
import { cleanText, paint, paintForeign, paintNothing } from './terminalColours.ts';
import { formatTime } from './times.ts';

export type TerminalEntry = {
  traceId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  dataset: string;
  level: string;
  resource: string;
  body: string;
  metadata: Readonly<Record<string, string>>;
};

export type EntryLook = {
  hasColours: boolean;
  isUtc: boolean;
  /** Whether to show the dataset, because there are several. */
  showsDataset: boolean;
};

const levelStyles: Readonly<Record<string, Partial<Style>>> = {
  error: { colour: 'brightRed', isBold: true },
  warn: { colour: 'yellow' },
  info: { colour: 'green' },
  debug: { isDim: true },
};
const levelWidth = 5;
const indent = '    ';

/** Ends with a line end. The first line has time, level and resource; further lines of the body are indented. */
export function formatEntry(entry: TerminalEntry, look: EntryLook): string {
  const put = look.hasColours ? paint : paintNothing;
  const { timestamp, dataset, level, resource, body, metadata } = entry;
  const [first = '', ...rest] = paintForeign(body, put).trimEnd().split('\n');
  const head = [
    put(formatTime(timestamp, look.isUtc), { isDim: true }),
    put(level.toUpperCase().padEnd(levelWidth), levelStyles[level] ?? {}),
    ...(look.showsDataset ? [put(cleanLine(dataset), { colour: 'magenta' })] : []),
    ...(resource === '' ? [] : [put(cleanLine(resource), { colour: 'cyan' })]),
    ...(first === '' ? [] : [first]),
  ];
  const pairs = Object.entries(metadata).map(([path, value]) => `${quote(path)}=${quote(value)}`);
  const facts = pairs.length === 0 ? [] : [put(pairs.join(' '), { isDim: true })];
  const lines = rest.length === 0 ? [[...head, ...facts].join(' ')] : [head.join(' '), ...rest, ...facts];
  return lines.map((line, index) => (index === 0 ? `${line}\n` : `${indent}${line}\n`)).join('');
}

/** Quotes a text for the query language, if it has no line end. */
function quote(text: string): string {
  const isWord = /^[^\s"(),:=<>*]+$/.test(text);
  const cleaned = cleanLine(text);
  return isWord ? cleaned : `"${cleaned.replaceAll(/[\\"]/g, '\\$&')}"`;
}

function cleanLine(text: string): string {
  return cleanText(text).replaceAll('\n', '\u{21b5}');
}

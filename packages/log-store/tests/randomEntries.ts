/** Random entries for tests, with many equal values: few words, many repetitions, and every awkward value. */
import { composeTraceId, type LogEntry, type LogFilter, logLevels } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import type { StoredEntry } from './clickhouse.ts';

/** Also holds the entry as queries return it. */
export type WholeEntry = StoredEntry & { entry: LogEntry };

/** Returns numbers from 0 to 1, the same ones for the same seed. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const words = [
  'player', 'Player', 'PLAY', 'joined', 'join', 'database', 'base', 'data', 'a', 'x1', '12', '1234', '99999',
  'needle7f3a', 'a7f3c9d2', '10.0.3.4', '100%', 'snake_case', 'back\\slash', '"quoted"', "it's", 'Straße', 'STRAẞE',
  'ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'Kelvin', 'kelvin', 'ſign', 'sign', 'İstanbul', 'istanbul', 'Привет', 'ПРИВЕТ', '日本語',
  '🎮', '🎮🎯', 'é', 'e\u0301', 'tab\tbed', 'line\nbreak', 'nul\0nul', '{x:String}', "'); DROP", '%', '_', '\\', 'null',
]; // biome-ignore format: a list of words

export const paths = ['map', 'pos.x', 'player.id', "quo'te", '', 'ключ', '__proto__', 'a\0b', '7'];
export const values = [
  '',
  'de_dust',
  '12',
  '12.5',
  'true',
  'Straße',
  'x\0y',
  "o'clock",
  'back\\slash',
  '%',
  'player',
  'id',
  'DE_DUST',
  'STRAẞE',
  'line\nbreak',
  '0',
  '-0',
  '007',
  '1e3',
  '1000',
  '1E+3',
  '5.',
  ' 5',
  '5 ',
  '+5',
  '.5',
  'NaN',
  'inf',
  '0x1F',
  '1_000',
  '0.1',
  '0.10000000000000001',
  '1e999',
  '-1e999',
  '9007199254740993',
  '5e-324',
  `1${'0'.repeat(400)}e-400`,
];
/** Numbers that conditions compare values with. */
export const comparedNumbers = [
  0,
  12,
  12.5,
  1000,
  0.1,
  5e-324,
  -5,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.MAX_VALUE,
];
export const resources = ['', 'auth', 'Auth', 'chat', "o'brien", 'Straße', '12'];
const projects = ['one', 'two'];
export const datasets = ['default', 'game', 'game-2'];

const startMicros = Date.UTC(2026, 0, 31) * 1000;
const spanMicros = 2 * 86_400_000_000; // crosses the end of a month
const secondMicros = 1_000_000;

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

export function makeEntries(random: Random, count: number): WholeEntry[] {
  const entries: WholeEntry[] = [];
  let micros = startMicros;
  for (let index = 0; index < count; index++) {
    // Bursts of equal times, and gaps.
    if (random() < 0.7) micros = startMicros + Math.floor(random() * spanMicros);
    if (random() < 0.3) micros -= micros % secondMicros;
    entries.push(makeEntry(random, micros, index));
  }
  return entries;
}

function makeEntry(random: Random, timestampMicros: number, index: number): WholeEntry {
  // The lower halves are in no order, as if they came from several nodes.
  const noise = Math.floor(random() * 0x3fffffff)
    .toString(16)
    .padStart(8, '0');
  const body = makeText(random, 6);
  const traceId = composeTraceId(timestampMicros, `8${noise.slice(1)}${index.toString(16).padStart(8, '0')}`);
  return {
    project: pick(random, projects),
    retentionDays: pick(random, [0, 0, 0, 7]),
    entry: {
      traceId,
      parentId:
        random() < 0.9
          ? ''
          : pick(random, ['parent', 'Order-77', 'Straße 7a3', 'ΟΔΥΣΣΕΥΣ', traceId, traceId.toUpperCase()]),
      timestampMicros,
      dataset: pick(random, datasets),
      level: pick(random, logLevels),
      resource: pick(random, resources),
      body,
      pattern: findPattern(body).pattern,
      metadata: makeMetadata(random),
    },
  };
}

function makeText(random: Random, wordsMax: number): string {
  const count = Math.floor(random() * (wordsMax + 1));
  return Array.from({ length: count }, () => pick(random, words)).join(random() < 0.8 ? ' ' : '');
}

function makeMetadata(random: Random): Record<string, string> {
  const count = Math.floor(random() * 4);
  const pairs = Array.from({ length: count }, () => [pick(random, paths), pick(random, values)]);
  return Object.fromEntries(pairs);
}

/** Makes the project and time range of a query; the caller adds the condition. */
export function makeScope(random: Random): Omit<LogFilter, 'condition'> {
  const sometimes = <T>(chance: number, value: () => T): T | null => (random() < chance ? value() : null);
  const [one, other] = [makeInstant(random), makeInstant(random)];
  return {
    project: pick(random, projects),
    datasets: pick(random, [null, ['default'], ['game'], ['game', 'game-2'], ['none']]),
    fromMicros: sometimes(0.3, () => Math.min(one, other)),
    toMicros: sometimes(0.3, () => Math.max(one, other)),
  };
}

function makeInstant(random: Random): number {
  const micros = startMicros + Math.floor(random() * spanMicros);
  return random() < 0.5 ? micros - (micros % secondMicros) : micros;
}

/** The queries of `logQueries.ts` as sent over HTTP, and their targets. */
import type { Spread } from './fillLogStore.ts';
import { rareIdentifier, rareWord } from './logRows.ts';

type Question = {
  name: string;
  /** At 20,000,000 entries; null: no target. */
  targetMs: number | null;
  /** The part after `/api/v3/logs`. Each turn sends another query about the same entries, so that no answer comes from a cache. */
  path(turn: number): string;
};

const secondMicros = 1_000_000;
const dayMicros = 86_400_000_000;
const buckets = 48;
/** Each occurs in about one of twenty entries. */
const commonWords =
  'database inventory vehicle transaction heartbeat chunk anticheat texture quest weather voice'.split(' ');

export function listQuestions({ entries, startMicros, intervalMicros }: Spread): Question[] {
  const endMicros = startMicros + entries * intervalMicros;
  const bound = (path: string, toMicros: number) =>
    `${path}${path.includes('?') ? '&' : '?'}to=${formatInstant(toMicros)}`;
  const histogram = (fromMicros: number) => `/histogram?buckets=${buckets}&from=${formatInstant(fromMicros)}`;
  const count = (filter: string) => `?limit=1&includeTotal=true${filter}`;
  const bounded: [string, number | null, string, number?][] = [
    ['latest 50', 25, '?limit=50'],
    ['oldest 50', null, '?limit=50&order=asc'],
    ['latest 50, all datasets', null, '?dataset=*'],
    ['latest 50 errors', null, '?level=error'],
    ['common word, latest 50', null, '?body=database'],
    ['rare word', 100, `?body=${rareWord}`],
    ['absent word', 100, '?body=qwertzuiop'],
    ['part of an identifier', 100, `?body=${rareIdentifier.slice(1)}`],
    ['absent phrase', null, '?body=%22connection+to+nowhere%22'],
    ['absent number', null, '?body=7391274123'],
    ['rare word in body or values', null, `?q=${rareWord}`],
    ['absent metadata value', 100, '?metadata.player.id=none'],
    ['rare metadata value', 100, '?metadata.server=srv-64'],
    ['one player of 40,000', null, '?metadata.player.id=117437'],
    ['offset 1,000,000', 200, '?offset=1000000'],
    ['offset to the end', null, `?offset=${entries - 60}`],
    ['histogram of a day', 300, histogram(startMicros + dayMicros), startMicros + 2 * dayMicros - 1],
    ['histogram of everything', null, histogram(startMicros)],
    ['facet level', 100, '/facets?field=level'],
    ['facet resource', 100, '/facets?field=resource'],
    ['facet metadata.region', 100, '/facets?field=metadata.region'],
    ['facet metadata.server', 100, '/facets?field=metadata.server'],
    ['facet metadata.player.id', null, '/facets?field=metadata.player.id'],
    ['count of everything', 10, count('')],
    ['count of errors', null, count('&level=error')],
  ];
  const questions = bounded.map(([name, targetMs, path, toMicros = endMicros]) => ({
    name,
    targetMs,
    path: (turn: number) => bound(path, toMicros + turn * secondMicros),
  }));
  const countWord = (letters: (word: string) => string) => (turn: number) =>
    count(`&body=${letters(commonWords[turn % commonWords.length] ?? '')}`);
  return [
    ...questions,
    { name: 'datasets', targetMs: null, path: () => '/datasets' },
    { name: 'count of a word', targetMs: 300, path: countWord(word => word) },
    { name: 'count of part of a word', targetMs: 300, path: countWord(word => word.slice(1, -1)) },
  ];
}

export function formatInstant(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}

/** Tests which entries a filter matches, one condition at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Condition,
  everything,
  keyOfQuestion,
  MatchableEntry,
  parseQuery,
} from '@tapedeck/log-query-language';
import type { LogEntry } from './entries.ts';
import { compileFilter, type LogFilter } from './filters.ts';

const entry: LogEntry = {
  traceId: '0'.repeat(32),
  parentId: 'p',
  timestampMicros: 5,
  dataset: 'game',
  level: 'warn',
  resource: 'server',
  body: 'Player JOINED',
  pattern: 'f'.repeat(16),
  metadata: { 'player.id': '7', map: 'Arena' },
};
const all: LogFilter = {
  project: 'one',
  datasets: null,
  fromMicros: null,
  toMicros: null,
  condition: everything,
};
const arrived = { arrival: { micros: 0, traceId: entry.traceId }, project: 'one', entry };
const asks = (text: string): { condition: Condition } => ({ condition: parseQuery(text) ?? everything });

const rows: readonly [Partial<LogFilter>, isMatch: boolean][] = [
  [{}, true],
  [{ project: 'other' }, false],
  [{ datasets: ['chat', 'game'] }, true],
  [{ datasets: ['chat'] }, false],
  [asks('level:error'), false],
  [asks('resource:server'), true],
  [asks('resource:Server'), false],
  [asks('parentId:q'), false],
  [{ fromMicros: 5, toMicros: 5 }, true],
  [{ fromMicros: 6 }, false],
  [{ toMicros: 4 }, false],
  [asks('player.id:7'), true],
  [asks('toString:7'), false],
  [asks('body:player body:joined'), true],
  [asks('body:arena'), false],
  [asks('arena joined'), true],
];

for (const [asked, isMatch] of rows) {
  test(`${JSON.stringify(asked)} ${isMatch ? 'matches' : 'does not match'}`, () => {
    const judged = new MatchableEntry(entry);
    assert.equal(compileFilter({ ...all, ...asked })({ arrived, judged }), isMatch);
  });
}

test('queries that differ only in an infinite number have distinct keys', () => {
  const keys = ['ms:>=1e999', 'ms:>=-1e999', 'ms:>=0'].map(text => keyOfQuestion({ ...all, ...asks(text) }));
  assert.equal(new Set(keys).size, 3);
});

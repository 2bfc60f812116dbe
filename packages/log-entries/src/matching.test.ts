/** What a filter asks of an entry, one condition at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from './entries.ts';
import { JudgedEntry, matchesFilter } from './matching.ts';
import type { LogFilter } from './questions.ts';

const entry: LogEntry = {
  ...{ traceId: '0'.repeat(32), parentId: 'p', timestampMicros: 5, dataset: 'game', level: 'warn' },
  ...{ resource: 'server', body: 'Player JOINED', metadata: { 'player.id': '7', map: 'Arena' } },
};
const all: LogFilter = {
  ...{ project: 'one', datasets: null, levels: null, resource: null, parentId: null },
  ...{ bodyTerms: [], textTerms: [], metadata: [], fromMicros: null, toMicros: null },
};

const rows: readonly [Partial<LogFilter>, isMatch: boolean][] = [
  [{}, true],
  [{ project: 'other' }, false],
  [{ datasets: ['chat', 'game'] }, true],
  [{ datasets: ['chat'] }, false],
  [{ levels: ['error'] }, false],
  [{ resource: 'server' }, true],
  [{ resource: 'Server' }, false],
  [{ parentId: 'q' }, false],
  [{ fromMicros: 5, toMicros: 5 }, true],
  [{ fromMicros: 6 }, false],
  [{ toMicros: 4 }, false],
  [{ metadata: [{ path: 'player.id', value: '7' }] }, true],
  [{ metadata: [{ path: 'toString', value: '7' }] }, false],
  [{ bodyTerms: ['player', 'joined'] }, true],
  [{ bodyTerms: ['arena'] }, false],
  [{ textTerms: ['arena', 'joined'] }, true],
];

for (const [asked, isMatch] of rows) {
  test(`${JSON.stringify(asked)} ${isMatch ? 'matches' : 'does not match'}`, () => {
    assert.equal(matchesFilter(new JudgedEntry(entry, 'one'), { ...all, ...asked }), isMatch);
  });
}

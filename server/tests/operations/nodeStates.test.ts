/** Whether a node runs, by its last heartbeat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeNodeState } from '@tapedeck/domain/operations/nodes';

const now = Date.parse('2026-01-02T12:00:00Z');
const node = {
  name: 'one',
  runId: 'run',
  version: '1',
  journalId: 'journal',
  startedAt: now,
  waitingEntries: 0,
};

for (const [title, seenSecondsAgo, expected] of [
  ['was seen just now', 5, 'running'],
  ['was not seen for a minute', 60, 'silent'],
  ['has a clock that is ahead by a minute', -60, 'running'],
  ['died while its clock was a year ahead', -365 * 86_400, 'silent'],
] as const) {
  test(`a node that ${title} is ${expected}`, () => {
    const seenAt = now - seenSecondsAgo * 1_000;
    assert.equal(describeNodeState({ ...node, seenAt, stoppedAt: null }, now), expected);
  });
}

/** Spools of processes on other machines, of which only the heartbeat tells whether they are alive. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isGone } from '../src/kit/logs/spoolOwners.ts';

const folder = await mkdtemp(join(tmpdir(), 'tapedeck-spools-'));
after(() => rm(folder, { recursive: true }));
const minuteMs = 60_000;

for (const [title, ageMinutes, expected] of [
  ['is alive after a recent heartbeat', 1, false],
  ['is gone after a long silence', 6, true],
  ['is alive if its clock is some hours ahead', -180, false],
  ['is gone if its last heartbeat has a date that is far ahead', -365 * 1_440, true],
] as const) {
  test(`a process ${title}`, async () => {
    const name = `other-machine~1~2~${ageMinutes}`;
    await mkdir(join(folder, name));
    const at = new Date(Date.now() - ageMinutes * minuteMs);
    await utimes(join(folder, name), at, at);
    assert.equal(isGone(folder, name), expected);
  });
}

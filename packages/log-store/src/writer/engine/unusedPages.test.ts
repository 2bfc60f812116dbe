/** The system gets pages of the program and freed memory back, and the program runs on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { releaseUnusedPages } from './unusedPages.ts';

test('releases pages that are equal to those of the file', async () => {
  // Outside Linux the mappings cannot be read, and the engine's process does not try.
  if (process.platform !== 'linux') return releaseUnusedPages([]);
  const before = readResident('RssFile');
  await releaseUnusedPages(['/nowhere/libengine.so', process.execPath]);
  const after = readResident('RssFile');
  assert.ok(after < before / 2, `${before} kB before, ${after} kB after`);
  assert.equal(JSON.stringify(JSON.parse('{"runs": "on"}')), '{"runs":"on"}');
});

test('releases memory between buffers that are still used', async () => {
  if (process.platform !== 'linux') return releaseUnusedPages([]);
  const small = 16 * 1024; // the C library keeps buffers of this size when they are freed
  let buffers = Array.from({ length: 10_000 }, () => Buffer.alloc(small, 1));
  buffers = buffers.filter((_, place) => place % 100 === 99);
  setFlagsFromString('--expose-gc');
  await runInNewContext('gc')({ type: 'major', execution: 'async' });
  const before = readResident('RssAnon');
  await releaseUnusedPages([]);
  const after = readResident('RssAnon');
  assert.ok(before - after > 100_000, `${before} kB before, ${after} kB after`);
  assert.ok(buffers.every(buffer => buffer.length === small && buffer.every(byte => byte === 1)));
});

function readResident(kind: 'RssFile' | 'RssAnon'): number {
  const pattern = new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm');
  return Number(pattern.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

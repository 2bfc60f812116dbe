/** The system gets pages of the program back, and the program runs on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { releaseUnusedPages } from './unusedPages.ts';

test('releases pages that are equal to those of the file', async () => {
  // Outside Linux the mappings cannot be read, and the engine's process does not try.
  if (process.platform !== 'linux') return releaseUnusedPages([]);
  const before = readResidentOfFiles();
  await releaseUnusedPages(['/nowhere/libengine.so', process.execPath]);
  const after = readResidentOfFiles();
  assert.ok(after < before / 2, `${before} kB before, ${after} kB after`);
  assert.equal(JSON.stringify(JSON.parse('{"runs": "on"}')), '{"runs":"on"}');
});

function readResidentOfFiles(): number {
  return Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

/** Tests that lines that differ only in kinds of placeholders are joined, and others stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findKinds } from './placeholderKinds.ts';

const rows: readonly [title: string, lines: readonly string[], becomes: readonly string[]][] = [
  ['an id without letters', ['qmgr[<n>]: <hex>: removed', 'qmgr[<n>]: <n>: removed'], ['qmgr[<n>]: <*>: removed']],
  ['a port that was read as part of the address', ['from <ip>:<n> to <ip>', 'from <ip> to <ip>'], ['from <*> to <ip>']],
  ['words that already vary', ['player <*> joined', 'player <id> joined'], ['player <*> joined']],
  ['times, which are not joined with numbers', ['done at <time>', 'done at <n>'], []],
  ['other words', ['took <n> ms', 'needs <n> ms'], []],
  ['only kinds', ['<n> <hex>', '<hex> <n>'], []],
]; // biome-ignore format: a table

for (const [title, lines, becomes] of rows)
  test(title, () => assert.deepEqual([...new Set(findKinds(lines).values())], becomes));

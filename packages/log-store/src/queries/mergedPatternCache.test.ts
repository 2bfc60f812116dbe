/** Tests that equal sets of patterns are merged once, failures are retried, and old results leave the cache. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MergeMemo } from './mergedPatternCache.ts';
import { MergingThread } from './mergingThread.ts';
import { mergeLines } from './patternLines.ts';

const names = 'Olga Ben Anna Carla Dmitri Elif Farid Greta'.split(' ');
const patterns = names.map((_, index) => index.toString(16).padStart(16, '0'));
const known = names.map((name, index) => {
  const template = `kicked ${name} (<n>): aimbot`;
  return { pattern: patterns[index]!, template, entries: index + 1, lastMicros: index, paths: [] };
});

describe('merged patterns', () => {
  it('are merged once for each set, with the counts of each query', async () => {
    const memo = new MergeMemo();
    const [merging, mayName] = [new MergingThread(), async () => true];
    const [first] = await mergeLines(known, { memo, merging, mayName });
    let isAsked = false;
    await memo.find('merged', patterns, async () => {
      isAsked = true;
      return [];
    });
    assert.equal(isAsked, false);
    const later = known.map(each => ({ ...each, entries: 100 - each.entries })).reverse();
    const [second] = await mergeLines(later, { memo, merging, mayName });
    assert.deepEqual(
      [first, second].map(line => line?.members.map(({ entries }) => entries)),
      [
        [8, 7, 6, 5, 4, 3, 2, 1],
        [99, 98, 97, 96, 95, 94, 93, 92],
      ],
    );
    assert.equal(first?.template, second?.template);
  });

  it('are merged again after a failure', async () => {
    const memo = new MergeMemo();
    const fail = async () => {
      throw new Error('stopped');
    };
    await assert.rejects(memo.find('merged', patterns, fail), /stopped/);
    assert.deepEqual(await memo.find('merged', patterns, async () => []), []);
  });

  it('are forgotten, the least recently requested first', async () => {
    const memo = new MergeMemo();
    const asked: string[] = [];
    const find = (pattern: string) =>
      memo.find('merged', [pattern], async () => {
        asked.push(pattern);
        return [];
      });
    await find('a');
    await find('b');
    for (let index = 0; index < 62; index++) await find(`${index}`);
    await find('a');
    await find('c'); // the 65th, one above the limit
    asked.length = 0;
    await find('a');
    await find('b');
    assert.deepEqual(asked, ['b']);
  });
});

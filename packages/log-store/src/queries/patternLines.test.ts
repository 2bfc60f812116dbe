/** Tests with logs of eleven programs that a query for the template of a large row finds its patterns and no others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileTemplate, findPattern } from '@tapedeck/log-patterns';
import { labelledSets, makeLabelledEntries } from '@tapedeck/log-patterns/testing/labelled';
import { MergeMemo } from './mergedPatternCache.ts';
import { MergingThread } from './mergingThread.ts';
import { membersMax, mergeLines } from './patternLines.ts';

const merging = new MergingThread();
const entriesPerSet = 3_000;

type Known = Parameters<typeof mergeLines>[0][number];

function findKnown(set: string): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const { body } of makeLabelledEntries(labelledSets[set]!, entriesPerSet)) {
    const { pattern, template } = findPattern(body);
    const entries = (known.get(pattern)?.entries ?? 0) + 1;
    known.set(pattern, { pattern, template, entries, lastMicros: 0, paths: [] });
  }
  return known;
}

async function findLines(known: readonly Known[]) {
  return mergeLines(known, { memo: new MergeMemo(), merging, mayName: async () => true });
}

describe('rows of', () => {
  for (const set of Object.keys(labelledSets)) {
    it(`${set} hold each pattern once, and agree with a query for them`, async () => {
      const known = findKnown(set);
      const lines = await findLines([...known.values()]);
      const members = lines.flatMap(line => line.members.map(({ pattern }) => pattern));
      assert.deepEqual(members.toSorted(), [...known.keys()].toSorted());
      for (const { names, members: own } of lines) {
        const [name = ''] = names;
        const fits = compileTemplate(name);
        const found = known.has(name)
          ? names
          : [...known.values()].filter(({ template }) => fits(template)).map(({ pattern }) => pattern);
        assert.deepEqual(found.toSorted(), own.map(({ pattern }) => pattern).toSorted(), name);
      }
      assert.ok(lines.filter(({ members: own }) => own.length > membersMax).length >= 3, 'some are large');
      // The order of patterns does not matter, and neither does a restart.
      const again = await findLines([...known.values()].reverse());
      const describeLine = ({ names }: (typeof lines)[number]) => names.join();
      assert.deepEqual(again.map(describeLine).toSorted(), lines.map(describeLine).toSorted());
    });
  }
});

/** Tests that a thread merges many templates with the same result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPattern } from '@tapedeck/log-patterns';
import { hostileSets, makeHostileEntries } from '@tapedeck/log-patterns/testing';
import { MergingThread } from './mergingThread.ts';
import { mergeTexts } from './textMerging.ts';

const paths = ['player.name'];

function makeTexts(title: string): string[] {
  const entries = makeHostileEntries(hostileSets[title]!, 3_000);
  return [...new Set(entries.map(({ body }) => findPattern(body).template))];
}

test('a thread merges like this one, even several sets at once', async () => {
  const thread = new MergingThread();
  const sets = Object.keys(hostileSets).map(makeTexts);
  assert.ok(sets.every(({ length }) => length > 1_000));
  const merge = (texts: readonly string[]) => thread.merge(texts.map(template => ({ template, paths })));
  const apart = await Promise.all(sets.map(merge));
  for (const [index, texts] of sets.entries())
    assert.deepEqual(apart[index], await mergeTexts({ texts, paths }));
  const few = sets[0]!.slice(0, 50);
  assert.deepEqual(await merge(few), await mergeTexts({ texts: few, paths }));
});

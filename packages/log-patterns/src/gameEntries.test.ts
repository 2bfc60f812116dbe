/** Tests that merging reduces a game server's log to a readable number of patterns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeGameEntries } from '../tests/gameEntries.ts';
import { findPattern } from './patterns.ts';

const entries = 99_000;
const patternsMax = 150;

test(`${entries} entries have fewer than ${patternsMax} patterns, but thousands without metadata`, () => {
  const [named, plain] = [new Map<string, number>(), new Set<string>()];
  for (const { body, metadata } of makeGameEntries(entries)) {
    const { template } = findPattern(body, metadata);
    named.set(template, (named.get(template) ?? 0) + 1);
    plain.add(findPattern(body).template);
  }
  assert.ok(named.size < patternsMax, `${named.size} patterns`);
  assert.ok(plain.size > 5_000, `${plain.size} without metadata`);
});

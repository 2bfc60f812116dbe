/** Tests that messages in a chat channel become one pattern, and that tags written by programs stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChannels } from './channels.ts';

const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon'.split(' ');
const rows: readonly [title: string, write: (word: string, index: number) => string, becomes: string | null][] = [
  ['a speaker with a number', word => `[CHAT] The ${word}[<n>] : hello ${word}`, '[CHAT] <*>[<n>] : <*>'],
  ['only a name', (word, index) => `[Team Chat] ${word}: hello ${index}`, '[Team Chat] <*>: <*>'],
  ['a tag of a program', word => `[ERROR] ${word}: failed for ${word}`, null],
  ['no colon', word => `[CHAT] ${word} says hello`, null],
]; // biome-ignore format: a table

for (const [title, write, becomes] of rows)
  test(title, () => {
    const found = findChannels(words.map(write));
    assert.deepEqual([...new Set(found.values())], becomes === null ? [] : [becomes]);
    assert.equal(findChannels(words.slice(1).map(write)).size, 0);
  });

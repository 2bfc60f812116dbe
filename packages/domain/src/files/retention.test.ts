/** Retention rules as written on the command line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetentionRules } from './retention.ts';

test('parses rules by media type and by folder', () => {
  const rows: [string[], unknown][] = [
    [[], null],
    [['image=30d'], { days: { image: 30 } }],
    [['image=30'], { days: { image: 30 } }],
    [['image=30d', 'video=7d', 'audio=none'], { days: { image: 30, video: 7, audio: null } }],
    [['image=1d', 'image=2d'], { days: { image: 2 } }],
    [['path:clips/=7d'], { days: {}, folders: [{ prefix: 'clips', days: 7 }] }],
    [['path:a=b/c=none'], { days: {}, folders: [{ prefix: 'a=b/c', days: null }] }],
    [['image=36500d'], { days: { image: 36_500 } }],
  ];
  for (const [words, expected] of rows) assert.deepEqual(readRetentionRules(words), expected, words.join());
});

test('rejects an invalid rule and names it', () => {
  const rows = [
    'image',
    'image=',
    'image=0',
    'image=0d',
    'image=-1d',
    'image=1.5d',
    'image=36501d',
    'image=never',
    'text=1d',
    '=1d',
    'IMAGE=1d',
    'path:=1d',
    'path:clips',
  ];
  for (const word of rows) {
    assert.throws(
      () => readRetentionRules([word]),
      { code: 'invalid_field', message: /retention rule/ },
      word,
    );
  }
});

test('accepts only folders that can hold files', () => {
  for (const word of ['path:/=1d', 'path:/clips=1d', 'path:a//b=1d', 'path:../b=1d', 'path:a/%2e%2e=1d']) {
    assert.throws(() => readRetentionRules([word]), { code: 'path_invalid' }, word);
  }
});

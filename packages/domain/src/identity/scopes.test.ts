/** Token scopes and what they allow. Rejected scopes are tested over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsPath } from '../files/permissions.ts';
import { readScopes } from './scopes.ts';

test('an empty scope restricts nothing', () => {
  assert.deepEqual(readScopes([], 'media'), {
    words: [],
    actions: null,
    types: null,
    paths: null,
    datasets: null,
  });
});

test('each scope restricts only its own dimension; several of one dimension are combined', () => {
  const scopes = readScopes(['read', 'write', 'type:image', 'type:audio'], 'media');
  assert.deepEqual(scopes.actions, new Set(['read', 'write']));
  assert.deepEqual(scopes.types, new Set(['image', 'audio']));
  assert.deepEqual([scopes.paths, scopes.datasets], [null, null]);
  assert.deepEqual(readScopes(['dataset:a', 'dataset:b'], 'logs').datasets, new Set(['a', 'b']));
});

test('a folder contains what is in it and below it, but not folders with the same prefix', () => {
  const rows: [string, string, boolean][] = [
    ['clips', 'clips', true],
    ['clips', 'clips/2026/may', true],
    ['clips', 'clipsets', false],
    ['clips', 'clip', false],
    ['clips', '', false],
    ['clips', 'other/clips', false],
    ['clips', 'Clips', false],
    ['/clips/', 'clips', true],
    ['clips/2026', 'clips', false],
    ['clips/2026', 'clips/2026', true],
    ['a:b', 'a:b/c', true],
    ['caf\u0065\u0301', 'caf\u00e9/x', true],
  ];
  for (const [folder, path, expected] of rows) {
    assert.equal(
      allowsPath(readScopes([`path:${folder}`], 'media'), path),
      expected,
      `${folder} and ${path}`,
    );
  }
  assert.ok(allowsPath(readScopes([], 'media'), 'anything'));
  const two = readScopes(['path:a', 'path:b'], 'media');
  assert.deepEqual(
    ['a', 'b/x', 'c'].map(path => allowsPath(two, path)),
    [true, true, false],
  );
});

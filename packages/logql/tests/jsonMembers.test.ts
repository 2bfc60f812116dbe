/** Tests that labels of a JSON line lead back to its members. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listJsonPaths } from '@tapedeck/logql';

test('labels of a JSON line lead back to its members', () => {
  const line = '{"a b": 1, "a_b": 2, "deep": {"c.d": true, "none": null, "list": []}, "__proto__": "x"}';
  assert.deepEqual(
    [...listJsonPaths(line)],
    [
      ['a_b', ['a b']],
      ['deep_c_d', ['deep', 'c.d']],
      ['__proto__', ['__proto__']],
    ],
  );
  for (const other of ['', '[{"a": 1}]', '{"a": 1', 'a=1']) assert.equal(listJsonPaths(other).size, 0);
});

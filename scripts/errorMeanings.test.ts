/** Each error code has one meaning. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorStatuses } from '@tapedeck/contract/vocabulary';
import { errorAreas } from './errorMeanings.ts';

test('explains each error code once', () => {
  const explained = errorAreas.flatMap(({ meanings }) => meanings.map(([code]) => code));
  assert.deepEqual(explained.toSorted(), Object.keys(errorStatuses).toSorted());
});

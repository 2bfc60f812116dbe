/** Tests that the table of formats is consistent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaFormats } from './mediaFormats.ts';

test('the MIME type determines the type of a file', () => {
  for (const { type, mimeType } of mediaFormats) assert.equal(mimeType.split('/')[0], type);
});

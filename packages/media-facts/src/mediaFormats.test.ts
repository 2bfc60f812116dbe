/** Tests that the table of formats is consistent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaFormats } from './mediaFormats.ts';

test('a MIME type says of which type a file is', () => {
  for (const { type, mimeType } of mediaFormats) assert.equal(mimeType.split('/')[0], type);
});

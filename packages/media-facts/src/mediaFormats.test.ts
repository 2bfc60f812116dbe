/** The table of formats is what people read. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { listTitles, mediaFormats } from './mediaFormats.ts';

test('the README lists the formats of the table', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const row = (['image', 'audio', 'video'] as const).map(type => listTitles(type).join(', ')).join(' | ');
  assert.ok(readme.includes(`| ${row} |`), row);
});

test('a MIME type says of which type a file is', () => {
  for (const { type, mimeType } of mediaFormats) assert.equal(mimeType.split('/')[0], type);
});

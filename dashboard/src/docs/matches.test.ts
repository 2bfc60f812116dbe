/** Tests the order of what the search of the documentation finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMatches } from './matches.ts';

const entries = [
  ['Send', 'POST /files of a project, by upload or link'],
  ['Upload in pieces and reuploads', 'a file'],
  ['Reupload files', ''],
  ['Upload files', ''],
  ['Alerts', 'fire when entries match'],
].map(([title = '', text = '']) => ({ title, text, url: `/docs/${title}` }));

for (const [typed, titles] of [
  ['', []],
  ['nothing', []],
  ['upload', ['Upload in pieces and reuploads', 'Upload files', 'Reupload files', 'Send']],
  ['upload file', ['Upload files', 'Reupload files', 'Upload in pieces and reuploads', 'Send']],
  ['ALERTS fire', ['Alerts']],
  ['a.b', []],
] as const)
  test(`“${typed}” finds titles before texts`, () => {
    const found = findMatches(entries, typed).map(({ title }) => title);
    assert.deepEqual(found, titles);
  });

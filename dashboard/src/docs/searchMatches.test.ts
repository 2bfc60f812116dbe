/** Tests the order of what the search of the documentation finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMatch, findMatches } from './searchMatches.ts';

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
  ['alert', ['Alerts']],
  ['fires', ['Alerts']],
  ['matching entry', ['Alerts']],
  ['alerts nowhere', ['Alerts']],
  ['ries', []],
  ['a.b', []],
  ['re-upload', ['Upload in pieces and reuploads', 'Reupload files']],
  ['"upload" (50%)', []],
] as const)
  test(`“${typed}” finds titles before texts`, () => {
    const found = findMatches(entries, typed).map(({ title }) => title);
    assert.deepEqual(found, titles);
  });

test('describes a match by its operation, by the words around it, or by its address', () => {
  const guide = {
    title: 'Uploads',
    url: '/docs/uploads',
    text: `${'Long before. '.repeat(20)}Each token has a rate limit of its own.`,
  };
  assert.equal(describeMatch(guide, 'uploads rate'), 'before. Each token has a rate limit of its own.');
  assert.match(describeMatch(guide, 'uploads'), /^Long before/);
  assert.equal(describeMatch({ ...guide, text: '' }, 'rate'), '/docs/uploads');
  const operation = { title: 'Send', url: '/docs/api/files#send', text: 'POST /files send Files' };
  assert.equal(describeMatch(operation, 'send'), 'POST /files');
});

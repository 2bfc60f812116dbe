/** Tests finding files by URL in text and metadata, only on the service's own hosts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { findMentionedFiles, isMentioned } from './mentionedFiles.ts';

const find = (body: string, metadata: Record<string, string> = {}) =>
  // The function reads only these fields.
  findMentionedFiles({ body, metadata } as LogEntry, 'default').map(({ key }) => key);
const rows: readonly [string, string[], string[]][] = [
  ['nothing', [find('hello, /media/default/a.png')].flat(), []],
  ['a URL in a sentence', find('see (https://x.example/media/default/a%20b/c.png).'), ['a b/c.png']],
  ['a smaller picture', find('http://127.0.0.1:1/media/default/c.png?w=320#x'), ['c.png']],
  ['metadata, and JSON in it', find('', { a: '{"u":"https://x.example/media/default/d.png"}' }), ['d.png']],
  ['the domain of a project', find('https://cdn.example/default/a/c.png'), ['a/c.png']],
  ['a bucket', find('https://s3.example/bucket/default/c.png'), ['c.png']],
  ['a page of the dashboard', find('https://x.example/projects/default/files?file=c.png'), []],
  ['another project', find('https://x.example/media/other/c.png'), []],
  ['a broken escape', find('https://x.example/media/default/%zz.png'), []],
  ['a folder', find('https://x.example/media/default/'), []],
  ['an endless name', find(`https://x.example/media/default/${'x'.repeat(201)}`), []],
];
for (const [name, found, expected] of rows)
  test(`keys found in ${name}`, () => assert.deepEqual(found, expected));

test('finds the first of very many URLs, each once', () => {
  const urls = Array.from({ length: 20 }, (_, index) => `https://x.example/media/default/${index % 12}.png`);
  assert.deepEqual(
    find(urls.join(' ')),
    Array.from({ length: 8 }, (_, index) => `${index}.png`),
  );
});

test('recognizes a file by the service, its domain and its first URL, but not by another host', () => {
  const path = '/media/default/c.png';
  // The function reads only these fields.
  const file = {
    key: 'c.png',
    url: `https://cdn.example${path}`,
    originalUrl: `https://files.example${path}`,
  } as FileRecord;
  const mentions = (host: string) =>
    isMentioned([{ url: `https://${host}${path}`, key: 'c.png' }], file, 'localhost:8787');
  assert.deepEqual(['cdn.example', 'files.example', 'localhost:8787', 'evil.example'].map(mentions), [
    true,
    true,
    true,
    false,
  ]);
});

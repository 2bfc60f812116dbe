/** The README names what the tables hold: settings, and the formats of media. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { mediaFormats } from '@tapedeck/media-facts';
import { settings } from '../../src/settings.ts';

const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');

test('every setting has its row, and no row names another', () => {
  const [, section = ''] = readme.split('\n## Settings\n');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`[A-Z].*?) \| (.*?) \|/gm)];
  const named = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert.deepEqual(
    named,
    settings.map(({ name }) => name),
  );
});

test('every format of media is named, and no other', () => {
  const sentence = /Accepted are ([^.]*?), up to /s.exec(readme)?.[1] ?? '';
  const named = sentence.split(/,\s|\sand\s/);
  assert.deepEqual(new Set(named), new Set(mediaFormats.map(({ title }) => title)));
});

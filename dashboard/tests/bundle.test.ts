/** Tests that browsers load little, and nothing that only the service needs. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildDashboard } from './build.ts';

// Of all pages together; each loads its own part, and only some load charts and lists. The last 1,500 bought texts to copy by hand, saved views in
// words, cut spikes in charts of rules, and a search of the documentation that finds words within guides; 200 more keep an open entry in view while
// wrapped lines are measured.
const gzipBytesMax = 441_900;
const guidesGzipBytesMax = 40_000; // texts that load only with the page that shows them
const doorGzipBytesMax = 144_200; // before sign-in, pages need the table of routes, but no widgets yet

test('keeps the scripts small, without schemas or names of other hosts', async () => {
  const folder = await buildDashboard();
  const page = await readFile(path.join(folder, 'index.html'), 'utf8');
  const names = (await readdir(path.join(folder, 'assets'))).filter(name => name.endsWith('.js'));
  let gzipBytes = 0;
  let guidesGzipBytes = 0;
  let doorGzipBytes = 0;
  for (const name of names) {
    const script = await readFile(path.join(folder, 'assets', name));
    const { length } = gzipSync(script);
    if (name.startsWith('guides-')) guidesGzipBytes += length;
    else gzipBytes += length;
    if (page.includes(name)) doorGzipBytes += length;
    assert.equal(script.includes('TypeBox') || script.includes('~kind'), false, `${name} holds schemas`);
  }
  assert(gzipBytes < gzipBytesMax, `all scripts are ${gzipBytes} bytes`);
  assert(
    guidesGzipBytes > 0 && guidesGzipBytes < guidesGzipBytesMax,
    `the guides are ${guidesGzipBytes} bytes`,
  );
  assert(doorGzipBytes < doorGzipBytesMax, `those of the first page are ${doorGzipBytes} bytes`);
  assert.doesNotMatch(
    page,
    /https?:|<script(?![^>]*src=)|style=/,
    'the page holds nothing inline or foreign',
  );
});

/** Checks that the README shows the example exactly as it runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the example in the README stores a blob', async () => {
  const example = fileURLToPath(new URL('./example.ts', import.meta.url));
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const code = (await readFile(example, 'utf8')).replace(/^\/\*\*.*\n/, '');
  assert.ok(readme.includes(`\`\`\`ts\n${code}\`\`\``), 'The README shows another program than example.ts.');

  const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
  try {
    const { stdout, stderr } = spawnSync(process.execPath, [example], { cwd: directory, encoding: 'utf8' });
    assert.match(stdout, /^pets\/\d{4}-\d\d-\d\d\/cat00000000000000001\.txt meow\n$/, stderr);
  } finally {
    await rm(directory, { recursive: true });
  }
});

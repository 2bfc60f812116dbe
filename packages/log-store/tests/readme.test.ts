/** Checks that the README contains its example exactly as it runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from './directory.ts';

test('the example in the README adds an entry and finds it', async () => {
  const example = fileURLToPath(new URL('./example.ts', import.meta.url));
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const code = (await readFile(example, 'utf8')).replace(/^\/\*\*.*\n/, '');
  assert.ok(readme.includes(`\`\`\`ts\n${code}\`\`\``), 'The README shows another program than example.ts.');

  await using directory = await makeDirectory();
  const { stdout, stderr } = spawnSync(process.execPath, [example], {
    cwd: directory.path,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(stdout, 'info Ann joined\n', stderr);
});

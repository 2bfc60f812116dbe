/** Tests that the generated secret is created once, completely, and can't be guessed. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { keepSecret, secretFileName } from './secretFile.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-secret-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

test('concurrent and later starts get the same secret', async () => {
  const secrets = await Promise.all(Array.from({ length: 8 }, () => keepSecret(directory)));
  const [secret = ''] = secrets;
  assert.match(secret, /^[0-9A-Za-z]{32}$/);
  assert.deepEqual(new Set([...secrets, await keepSecret(directory)]), new Set([secret]));
  assert.deepEqual(await readdir(directory), [secretFileName]);
});

for (const { title, content } of [
  { title: 'an empty file', content: '' },
  { title: 'an empty line', content: '\n' },
  { title: 'a truncated secret', content: 'fifteen-letters\n' },
]) {
  test(`rejects ${title} as a secret at start and leaves the file unchanged`, async () => {
    const file = path.join(directory, secretFileName);
    await writeFile(file, content);
    const refusal = (error: Error) => {
      assert.ok(error.message.startsWith(`The file ${file} must hold a secret of at least 16 characters`));
      return true;
    };
    await assert.rejects(keepSecret(directory), refusal);
    assert.equal(await readFile(file, 'utf8'), content);
  });
}

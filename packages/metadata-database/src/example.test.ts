/** Runs the README's example exactly as the README shows it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const directory = fileURLToPath(new URL('..', import.meta.url));

test('the example in the README prints what the README says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const run = promisify(execFile);
  const temporary = await mkdtemp(join(tmpdir(), 'library-'));
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval'];
  const { stdout } = await run(process.execPath, [...flags, example], {
    cwd: directory,
    env: { ...process.env, TMPDIR: temporary },
  });
  await rm(temporary, { recursive: true });
  const said = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(match => match[1]);
  assert.ok(said.length > 0);
  assert.deepEqual(stdout.trimEnd().split('\n'), said);
});

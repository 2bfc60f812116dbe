/** Tests that temporary folders exist until removed, and end with the process that made them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { makeTemporary, removeTemporary } from './temporaryFolders.ts';

it('creates a folder readable by other users in TMPDIR and removes it with its contents', () => {
  const folder = makeTemporary();
  assert.equal(dirname(folder), tmpdir()); // the runner sets TMPDIR for each file
  assert.equal(statSync(folder).mode & 0o777, 0o755);
  writeFileSync(join(folder, 'kept'), 'while it is needed');
  removeTemporary(folder);
  assert.ok(!existsSync(folder));
});

for (const [name, TMPDIR] of Object.entries({
  'in the default folder': undefined,
  'in a given folder': tmpdir(),
}))
  it(`${name}, removes remaining folders when the process exits`, () => {
    const url = pathToFileURL(join(import.meta.dirname, 'temporaryFolders.ts')).href;
    const program = `
      import { existsSync, writeFileSync } from 'node:fs';
      const { makeTemporary } = await import('${url}');
      const folder = makeTemporary();
      writeFileSync(folder + '/left', 'behind');
      console.log(folder, existsSync(folder));
      process.exit(0);`;
    const { TMPDIR: _, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...env, ...(TMPDIR && { TMPDIR }), NODE_OPTIONS: '' },
      encoding: 'utf8',
    });
    const [folder = '', isThere] = stdout.trim().split(' ');
    assert.deepEqual([isThere, stderr], ['true', '']);
    assert.ok(!existsSync(folder));
    if (TMPDIR !== undefined) assert.equal(dirname(folder), TMPDIR);
  });

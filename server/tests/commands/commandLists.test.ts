/** Tests `status` and the lists on SQLite, and their output when nothing is installed. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { assertAway, testLists } from '../support/commandLists.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';

testLists('SQLite', {});

test('status reports a folder without an installation, and creates none', async () => {
  await using directory = await makeDirectory();
  const dataDir = `${directory.path}/data`;
  const { exitCode, complained } = await runTapedeck(['status'], { TAPEDECK_DATA_DIR: dataDir });
  assert.equal(exitCode, 1);
  assert.match(complained, /^The data directory \S+ holds no installation: [^\n]+\n$/);
  assert.ok(!existsSync(dataDir));
});

test('status reports why the database is unavailable, with exit code 1', async () => {
  await using directory = await makeDirectory();
  const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`;
  const secret = 's'.repeat(40);
  await assertAway({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_DATABASE_URL: url,
    TAPEDECK_SECRET: secret,
  });
});

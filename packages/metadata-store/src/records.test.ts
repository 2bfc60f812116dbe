/** Tests that a transaction builds each record set once, and only those it uses. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openMetadataStore } from './store.ts';

test('creates records on first use', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-records-'));
  try {
    await using store = await openMetadataStore({
      kind: 'sqlite',
      file: path.join(directory, 'tapedeck.db'),
    });
    await store.write(async records => {
      const { rules } = records;
      assert.equal(await rules.count('default'), 0);
      assert.equal(records.rules, rules);
      assert.deepEqual(Object.getOwnPropertyNames(records), ['transaction', 'rules']);
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

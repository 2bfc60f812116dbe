/** Tests which keys on disk are found after a restart. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { makeDirectory } from '../../../tests/directory.ts';
import { diskError, interceptDisk } from '../../../tests/interceptedDisk.ts';
import { localDisk } from './disk.ts';
import { KeyShelves } from './keys.ts';

test('a restart finds stored keys but no half-written one, and none after a day', async () => {
  await using place = await makeDirectory();
  const directory = place.path;
  const hourMs = 3_600_000;
  const start = Date.UTC(2026, 5, 1, 12);
  const make = (number: number, storedAt: number) => {
    const hash = Buffer.alloc(16);
    hash.writeUInt32LE(number % 7, 0); // many hashes begin alike
    hash.writeUInt32LE(number, 8);
    return { scopeHash: hash, bodyHash: Buffer.alloc(16, number), traceId: Buffer.alloc(16, 1), storedAt };
  };
  const records = Array.from({ length: 300 }, (_, number) => make(number, start + number * 10_000));
  {
    await using shelves = await KeyShelves.open(localDisk, directory, start);
    await shelves.add(records.slice(0, 200), start);
    await shelves.add(records.slice(200), start);
    for (const record of records) assert.deepEqual(await shelves.find(record.scopeHash, start), record);
  }
  const last = Math.max(...(await localDisk.list(directory)).map(name => Number.parseInt(name, 10)));
  const file = await localDisk.open(path.join(directory, `${last}.keys`));
  await file.truncate((await file.size()) - 1);
  await file.close();
  await using shelves = await KeyShelves.open(localDisk, directory, start);
  const found = await Promise.all(records.map(record => shelves.find(record.scopeHash, start)));
  assert.deepEqual(found, records.with(-1, null as never)); // the half-written record is the last
  await shelves.add([make(9_999, start)], start);
  assert.notEqual(await shelves.find(make(9_999, start).scopeHash, start), null);
  assert.equal(await shelves.find(records[0]!.scopeHash, start + 24 * hourMs), null);
  assert.notEqual(await shelves.find(records[10]!.scopeHash, start + 24 * hourMs), null);
  await shelves.add([], start + 60 * hourMs);
  assert.deepEqual(await localDisk.list(directory), []);
});

test('a key counts as stored once its file name is durable, even if another attempt made it', async () => {
  await using place = await makeDirectory();
  const now = Date.UTC(2026, 5, 1, 12);
  const hash = Buffer.alloc(16, 1);
  const record = { scopeHash: hash, bodyHash: hash, traceId: hash, storedAt: now };
  const steps: string[] = [];
  const disk = interceptDisk(localDisk, ({ name }) => {
    steps.push(name);
    if (name === 'syncDirectory' && steps.length === 3) throw diskError('EIO');
  });
  await using shelves = await KeyShelves.open(disk, place.path, now);
  await assert.rejects(shelves.add([record], now), { code: 'EIO' });
  assert.equal(await shelves.find(hash, now), null);
  await shelves.add([record], now);
  assert.deepEqual(steps, [
    'syncDirectory',
    'create',
    'syncDirectory',
    'open',
    'syncDirectory',
    'write',
    'sync',
  ]);
  assert.deepEqual(await shelves.find(hash, now), record);
});

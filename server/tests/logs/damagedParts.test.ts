/**
 * Parts of the log engine that vanish while the service runs, come back, or hold other bytes; and lists of parts that vanish. It takes a minute,
 * because each test starts the service several times.
 */
import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import {
  ask,
  checkLoss,
  checkQuiet,
  findParts,
  openFilledPlaces,
  readMetric,
  refused,
  start,
  until,
  verify,
} from '../support/lostParts.ts';
import { makeDirectory } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const places = openFilledPlaces();
after(() => places[Symbol.asyncDispose]());
const { fill } = places;

test('reports a part that is deleted while the service runs, until it is accepted', async () => {
  await using place = await makeDirectory();
  await fill(place.path);
  await using service = await start(place.path);
  for (const part of await findParts(place.path, '202609')) await rm(part, { recursive: true });
  await until(
    async () => (await readMetric(service, 'log_parts_missing')) === 1,
    'it is not reported missing',
  );
  await checkLoss(service, /its directory is gone|its bytes are damaged/); // a query may meet it half deleted
  for (const rest of refused)
    assert.equal(await describeRefusal(await ask(service, rest)), '503 engine_unavailable');
  assert.equal((await verify(place.path)).exitCode, 1);
  assert.match(
    await tapedeck(['adopt', '--missing-parts'], { TAPEDECK_DATA_DIR: place.path }),
    /continues without them/,
  );
  await checkQuiet(service);
});

test('no longer reports a part that returns', async () => {
  await using place = await makeDirectory();
  await fill(place.path);
  const [part = ''] = await findParts(place.path, '202609');
  const copy = path.join(place.path, 'copy');
  await cp(part, copy, { recursive: true });
  await rm(part, { recursive: true });
  {
    await using service = await start(place.path);
    await checkLoss(service, /its directory is gone/);
  }
  await cp(copy, part, { recursive: true });
  await using service = await start(place.path);
  await checkQuiet(service);
  assert.ok(service.logged.some(line => line.includes('is back')));
});

test('reports a corrupt part once a query reads it, across restarts, until it is accepted', async () => {
  await using place = await makeDirectory();
  await fill(place.path);
  const [part = ''] = await findParts(place.path, '202609');
  const file = path.join(part, 'data.bin');
  const bytes = await readFile(file);
  for (let at = 40; at < bytes.length; at += 40) bytes[at] = bytes[at]! ^ 1;
  await writeFile(file, bytes);
  const ofLost = '?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z';
  {
    await using service = await start(place.path);
    const answer = await ask(service, ofLost);
    assert.match(await answer.clone().text(), /damaged or missing/);
    assert.equal(await describeRefusal(answer), '503 engine_unavailable');
    await until(async () => (await readMetric(service, 'log_parts_missing')) === 1, 'it is not reported');
    await checkLoss(service, /its bytes are damaged/);
  }
  const { exitCode, printed } = await verify(place.path);
  assert.equal(exitCode, 1);
  assert.match(printed, /damaged: a part of the log table, 0-20260901_/);
  await using service = await start(place.path);
  await checkLoss(service, /its bytes are damaged/);
  assert.equal((await ask(service, '?from=2026-10-01T00:00:00Z')).status, 200);
  assert.match(
    await tapedeck(['adopt', '--missing-parts'], { TAPEDECK_DATA_DIR: place.path }),
    /continues without them/,
  );
  await checkQuiet(service);
  assert.equal((await verify(place.path)).exitCode, 0);
});

const ledgers: [string, (file: string) => Promise<unknown>, string][] = [
  ['is deleted', file => rm(file), 'absent'],
  ['is empty', file => writeFile(file, ''), 'damaged'],
  [
    'has a changed byte',
    async file => {
      const bytes = await readFile(file);
      const at = bytes.length - 9;
      bytes[at] = bytes[at]! ^ 1;
      await writeFile(file, bytes);
    },
    'damaged',
  ],
];
for (const [title, harm, reason] of ledgers) {
  test(`a list of parts that ${title}: the service logs it once, and recreates it`, async () => {
    await using place = await makeDirectory();
    await fill(place.path);
    await harm(path.join(place.path, 'log-parts'));
    for (const expected of [1, 0]) {
      await using service = await start(place.path);
      await checkQuiet(service);
      const lines = service.logged.filter(line => line.includes('created a new list'));
      assert.equal(lines.length, expected);
      if (expected > 0) assert.ok(lines[0]?.includes(`"reason":"${reason}"`), lines.join());
    }
    for (const part of await findParts(place.path, '202609')) await rm(part, { recursive: true });
    await using service = await start(place.path);
    await checkLoss(service, /its directory is gone/);
  });
}

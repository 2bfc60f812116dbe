/**
 * Log engine parts that vanished from the disk: the service starts, reports the loss everywhere, refuses queries that may be affected and
 * answers the others. `tapedeck adopt --missing-parts` ends that.
 */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { getMachine } from '@tapedeck/contract/machine';
import {
  checkLoss,
  checkQuestions,
  checkQuiet,
  findParts,
  make,
  names,
  openFilledPlaces,
  start,
  store,
  verify,
} from '../support/lostParts.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const places = openFilledPlaces();
after(() => places[Symbol.asyncDispose]());
const { fill } = places;

const losses: [string, (part: string) => Promise<unknown>, RegExp][] = [
  ['is deleted', part => rm(part, { recursive: true }), /its directory is gone/],
  ['has lost a file', part => rm(path.join(part, 'data.bin')), /the engine found it broken/],
  ['has lost its list of columns', part => rm(path.join(part, 'columns.txt')), /the engine found it broken/],
  [
    'has a truncated file',
    async part => {
      const file = path.join(part, 'data.bin');
      await writeFile(file, (await readFile(file)).subarray(0, 100));
    },
    /the engine found it broken/,
  ],
];
for (const [title, lose, reason] of losses) {
  test(`reports a part that ${title} while the service is stopped`, async () => {
    await using place = await makeDirectory();
    await fill(place.path);
    const parts = await findParts(place.path, '202609');
    assert.equal(parts.length, 1);
    await lose(parts[0]!);
    const before = await verify(place.path);
    assert.equal(before.exitCode, 1);
    assert.match(before.printed, /missing: a part of the log table, 0-20260901_.* with 300 log entries/);
    assert.match(before.printed, /1 missing with 300 entries/);
    for (let restart = 0; restart < 2; restart++) {
      await using service = await start(place.path);
      await checkLoss(service, reason);
      await store(service, make(1, '2026-10-21')); // it may get the lost part's block number
      await checkQuestions(service);
      const owner = await addPerson(service, { isOwner: true });
      const { trouble } = await owner.call(getMachine);
      assert.deepEqual(
        trouble.map(({ name }) => name),
        ['entries'],
      );
    }
    const ofPlace = { TAPEDECK_DATA_DIR: place.path };
    assert.match(await tapedeck(['adopt'], ofPlace), /300 are missing in 1 part, .*--missing-parts/);
    assert.match(await tapedeck(['adopt', '--missing-parts', '--dry-run'], ofPlace), /are refused/);
    assert.equal((await verify(place.path)).exitCode, 1);
    assert.match(await tapedeck(['adopt', '--missing-parts'], ofPlace), /continues without them/);
    for (let restart = 0; restart < 2; restart++) {
      await using service = await start(place.path);
      await checkQuiet(service);
      assert.deepEqual(names(service), []);
    }
    assert.equal((await verify(place.path)).exitCode, 0);
  });
}

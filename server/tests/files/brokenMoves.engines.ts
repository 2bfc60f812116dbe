/** Interrupted folder moves on PostgreSQL: on a single node, and continued by another node. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { moveFolder } from '@tapedeck/contract/fileActions';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { withToken } from '../support/client.ts';
import { fillFolder, hasBegun, isOver, listIds, untilMove } from '../support/movingFolders.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import { mediaEnvironment, mediaToken } from '../support/uploading.ts';
import { askProcess, tryBrokenMoves } from './brokenMoves.ts';

const postgres = await startPostgres();
after(() => postgres[Symbol.asyncDispose]());
const secret = { TAPEDECK_SECRET: 's'.repeat(40) };

describe('an interrupted move', () =>
  tryBrokenMoves({ ...secret, TAPEDECK_DATABASE_URL: postgres.urlOf('postgres') }));

test('a move whose node was killed resumes at another node, which keeps reporting it', async () => {
  const environment = { ...mediaEnvironment, ...secret, TAPEDECK_DATABASE_URL: postgres.urlOf('postgres') };
  await using directory = await makeDirectory();
  await using victim = await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory.path });
  await using service = await startTestService({ environment });
  const client = withToken(service, mediaToken);
  const store = await service.openStore();
  await fillFolder(store, 'night', 2_000);
  const ids = await listIds(store, 'night');
  const body = { from: 'night', to: 'day' };
  const moving = askProcess(victim, body).catch(() => undefined);
  await untilMove(store, 'night', hasBegun);
  const followed = client.call(moveFolder, { body });
  victim.child.kill('SIGKILL');
  await moving;
  const { holder } = await untilMove(store, 'night', () => true);
  assert.ok((await listIds(store, 'night')).length > 0);
  await untilMove(store, 'night', isOver);
  await followed;
  const { data } = await client.call(moveFolder, { body });
  assert.deepEqual(data, { total: 2_000, moved: 2_000, failed: 0, reason: null, isOver: true });
  assert.notEqual((await untilMove(store, 'night', isOver)).holder, holder);
  assert.deepEqual([await listIds(store, 'night'), await listIds(store, 'day')], [[], ids]);
  const moves = await store.read.folderMoves.list('default');
  assert.equal(
    moves.filter(({ from }) => from === 'night').length,
    1,
    'both nodes received requests about one move',
  );
});

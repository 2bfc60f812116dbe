/** Interrupted folder moves on either database: they continue without a new request, with the rights that hold at that time. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { moveFolder } from '@tapedeck/contract/fileActions';
import { moveProjectFolder } from '@tapedeck/contract/projectFiles';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { type Environment, readConfig } from '../../src/config.ts';
import { withToken } from '../support/client.ts';
import { fillFolder, hasBegun, isOver, listIds, untilMove } from '../support/movingFolders.ts';
import { addPerson, addToken } from '../support/people.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const filesMoved = 2_000; // half a second's work
const filesLeft = 1_500; // in each of several folders
const params = { project: 'default' };

const fetchFrom = ({ url }: Pick<ServiceProcess, 'url'>) => ({
  fetch: (path: string, init?: RequestInit) => fetch(url + path, init),
});

export const askProcess = (service: Pick<ServiceProcess, 'url'>, body: { from: string; to: string }) =>
  fetchFrom(service).fetch('/api/v3/file/folders/move', {
    method: 'POST',
    headers: { authorization: mediaToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Each way to lose the right to a move while it is idle, and the reason that callers get. */
const losses: readonly [title: string, reason: RegExp, lose: (asked: Asked) => Promise<unknown>][] = [
  [
    'withdrawn token',
    /^The token that asked for it is no longer valid\.$/,
    async ({ store, tokenId }) => await store.manage(({ tokens }) => tokens.revoke([tokenId], Date.now())),
  ],
  [
    'lowered role',
    /^The user who asked for it may no longer change files/,
    async ({ store, userId }) =>
      await store.write(({ memberships }) => memberships.put({ userId, project: 'default', role: 'viewer' })),
  ],
  [
    'deleted user',
    /^The user who asked for it may no longer change files/,
    async ({ store, otherId }) => await store.write(({ users }) => users.remove(otherId)),
  ],
];

type Asked = {
  store: Awaited<ReturnType<TestService['openStore']>>;
  tokenId: string;
  userId: string;
  otherId: string;
};

export function tryBrokenMoves(environment: Environment): void {
  it('resumes after the service is killed and restarted, and has every file once', () =>
    tryKill(environment));
  it('resumes after a planned restart, except for makers who lost the right to it', () =>
    tryRestart(environment));
}

async function tryKill(environment: Environment): Promise<void> {
  await using directory = await makeDirectory();
  const settings = { ...mediaEnvironment, ...environment, TAPEDECK_DATA_DIR: directory.path };
  let service = await startProcess(settings);
  await using store = await openMetadataStore(readConfig(settings).database);
  const picture = await makePicture();
  await fillFolder(store, 'crew/old', filesMoved);
  const { url } = await uploadFile(fetchFrom(service), picture, { path: 'crew' });
  const ids = await listIds(store, 'crew');
  const body = { from: 'crew', to: 'staff' };
  const asked = askProcess(service, body).catch(() => undefined);
  await untilMove(store, 'crew', hasBegun);
  service.child.kill('SIGKILL');
  await service.exit;
  await asked;
  const { moved, endedAt } = await untilMove(store, 'crew', hasBegun);
  assert.deepEqual([endedAt, (await listIds(store, 'staff')).length], [null, moved]);
  assert.ok(moved < ids.length);
  service = await startProcess(settings);
  await using _ = service;
  await untilMove(store, 'crew', isOver);
  assert.deepEqual([await listIds(store, 'crew'), await listIds(store, 'staff')], [[], ids]);
  assert.equal((await fetch(service.url + pathOf(url))).status, 200);
  const total = ids.length;
  const told = { total, moved: total, failed: 0, reason: null, isOver: true };
  // Asks twice: losing one response must not lose the reason.
  for (let time = 0; time < 2; time += 1) {
    const answer = await (await askProcess(service, body)).json();
    assert.deepEqual(answer, { data: told, status: 'ok' });
  }
}

async function tryRestart(environment: Environment): Promise<void> {
  await using directory = await makeDirectory();
  const start = () =>
    startTestService({
      dataDir: directory.path,
      environment: { ...mediaEnvironment, ...environment },
    });
  let service = await start();
  await using store = await openMetadataStore(service.config.database);
  const owner = await addPerson(service, { isOwner: true });
  const [member, other] = [
    await addPerson(service, { roles: { default: 'member' } }),
    await addPerson(service, { roles: { default: 'admin' } }),
  ];
  const { token, id: tokenId } = await addToken(owner);
  const folders = ['kept', ...losses.map(([title]) => title)];
  for (const from of folders) await fillFolder(store, from, filesLeft);
  const ask = (from: string) => ({ body: { from, to: `moved/${from}` } });
  const answers = Promise.all([
    withToken(service, mediaToken).call(moveFolder, ask('kept')),
    withToken(service, token).call(moveFolder, ask(folders[1]!)),
    member.call(moveProjectFolder, { params, ...ask(folders[2]!) }),
    other.call(moveProjectFolder, { params, ...ask(folders[3]!) }),
  ]);
  await Promise.all(folders.map(from => untilMove(store, from, () => true)));
  await service[Symbol.asyncDispose]();
  for (const { data } of await answers) assert.deepEqual([data.isOver, data.reason], [false, null]);
  for (const from of folders) {
    const { holder, endedAt } = await untilMove(store, from, () => true);
    assert.deepEqual([holder, endedAt], ['', null], 'released at the stop');
  }
  for (const [, , lose] of losses) await lose({ store, tokenId, userId: member.id, otherId: other.id });
  service = await start();
  await using _ = service;
  const moves = await Promise.all(folders.map(from => untilMove(store, from, isOver)));
  assert.deepEqual([await listIds(store, 'kept'), moves[0]?.moved], [[], filesLeft]);
  const again = { ...owner, ...withToken(service, mediaToken) };
  for (const [index, [title, reason]] of losses.entries()) {
    const { moved, failed } = moves[index + 1]!;
    const left = (await listIds(store, title)).length;
    assert.deepEqual([moved + failed, failed], [filesLeft, left], title);
    assert.ok(left > 0);
    const { data } = await again.call(moveFolder, ask(title));
    assert.deepEqual([data.moved, data.failed, data.isOver], [moved, left, true]);
    assert.match(data.reason ?? '', reason);
  }
}

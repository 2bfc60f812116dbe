/**
 * Players on several nodes that share PostgreSQL, a bucket and two shards: what one node confirms, stores, writes or deletes appears on the
 * other's pages at once, and a node that dies while it lists players loses none.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { createEvidence } from '@tapedeck/contract/evidence';
import { updateProject } from '@tapedeck/contract/projects';
import * as notes from '@tapedeck/contract/subjectNotes';
import { getSubject, listSubjectProposals, listSubjects } from '@tapedeck/contract/subjects';
import { getTimeline } from '@tapedeck/contract/timeline';
import { limits } from '@tapedeck/domain/vocabulary';
import { listStoredEntries } from '@tapedeck/zip-archives';
import { startSharedStores } from '../logs/sharedJournal.ts';
import { type Client, withCookie } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(2));
const environment = { ...stores.settings(), ...mediaEnvironment };
const living = opened.use(await startTestService({ environment }));
const directory = opened.use(await makeDirectory()).path;
const dying = opened.use(await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory }));
const running = opened.move();
after(() => running.disposeAsync());

const params = { project: 'default' };
const player = {
  kind: 'player',
  idPaths: ['player.id', 'player.license'],
  namePaths: ['player.name'],
};
const recoveryMsMax = 60_000;

type Node = { service: TestService; person: Client };
const owner = await addPerson(living, { isOwner: true });
const there: TestService = {
  ...living,
  url: dying.url,
  fetch: (route, init) => fetch(`${dying.url}${route}`, { redirect: 'manual', ...init }),
};
const nodes: readonly [Node, Node] = [
  { service: living, person: owner },
  { service: there, person: withCookie(there, owner.cookie) },
];
const [one, other] = nodes;

type Player = { id?: string; license?: string; name?: string };

function send({ service }: Node, dataset: string, players: readonly Player[]): Promise<Response> {
  const items = players.map(player => ({ level: 'info', message: 'seen', metadata: { player } }));
  return service.fetch(`/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: stores.token, 'content-type': 'application/json' },
    body: JSON.stringify(items),
  });
}

async function store(node: Node, players: readonly Player[], dataset = 'game'): Promise<void> {
  await answered(() => send(node, dataset, players));
}

/** Retries temporary refusals, as on a busy machine: no answer is ever partial. */
async function answered(attempt: () => Promise<Response>): Promise<Response> {
  for (const deadline = performance.now() + recoveryMsMax; ; await wait(50)) {
    const response = await attempt();
    if (response.status !== 503) {
      assert.equal(response.status, 200, await response.clone().text());
      return response;
    }
    assert.ok(performance.now() < deadline, `it responds: ${await response.text()}`);
  }
}

async function readPage({ person }: Node, id: string) {
  const input = { params: { ...params, kind: 'player', id }, query: { joinIds: 'true' } };
  return (await readAs(getSubject.answer, await answered(() => person.send(getSubject, input)))).data;
}

async function list({ person }: Node, q: string): Promise<string[][]> {
  const input = { params, query: { q, joinIds: 'true' } };
  const { data } = await readAs(listSubjects.answer, await answered(() => person.send(listSubjects, input)));
  return data.map(({ id, otherIds }) => [id, ...(otherIds ?? [])]);
}

async function countTimeline({ person }: Node, query: string): Promise<{ entry: number; file: number }> {
  const input = { params, query: { query, limit: 100 } };
  const { data } = await readAs(getTimeline.answer, await answered(() => person.send(getTimeline, input)));
  const counts = { entry: 0, file: 0 };
  for (const { kind } of data) counts[kind]++;
  return counts;
}

test('a kind confirmed at one node has its pages at the other at once', async () => {
  await store(one, [{ id: '43', license: 'license:abc', name: 'Ann' }]);
  await store(other, [{ id: '43', name: 'Ann' }]);
  await owner.call(updateProject, { params, body: { subjects: [player] } });
  assert.deepEqual((await other.person.call(listSubjectProposals, { params })).data, []);
  for (const node of nodes) {
    assert.equal((await readPage(node, '43')).entries, 2);
    assert.deepEqual(await list(node, ''), [['43', 'license:abc']]);
    assert.deepEqual(await countTimeline(node, 'player.id:43'), { entry: 2, file: 0 });
  }
  await other.person.call(updateProject, { params, body: { subjects: [] } });
  const input = { params: { ...params, kind: 'player', id: '43' } };
  assert.equal(await one.person.refuse(getSubject, input), '404 not_found');
  await other.person.call(updateProject, { params, body: { subjects: [player] } });
  assert.equal((await readPage(one, '43')).entries, 2);
});

test('entries and files received by one node are on the pages of the other at once', async () => {
  const expected = { entry: 0, file: 0 };
  for (let round = 0; round < 8; round++) {
    const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
    await store(writer, [{ id: 'both', name: `Name ${round}` }]);
    expected.entry++;
    if (round % 3 === 0) {
      const metadata = JSON.stringify({ player: { id: 'both', name: 'Pictured' } });
      await uploadFile(writer.service, await makePicture(), { metadata });
      expected.file++;
    }
    const { entries, files, names } = await readPage(reader, 'both');
    assert.deepEqual([entries, files, names.length], [expected.entry, expected.file, round + 2]);
    assert.deepEqual(await list(reader, `name ${round}`), [['both']]);
    assert.deepEqual(await countTimeline(reader, 'player.id:both'), expected);
  }
});

test('ids that become one player, or two, do so at both nodes', async () => {
  const chain = { id: '60', license: 'license:late', name: 'Late' };
  await store(one, [{ id: '60', name: 'Late' }]);
  for (const node of nodes) assert.deepEqual(await list(node, 'late'), [['60']]);
  await store(other, [chain]);
  for (const node of nodes) {
    assert.deepEqual(await list(node, 'late'), [['60', 'license:late']]);
    assert.deepEqual((await readPage(node, 'license:late')).otherIds, ['60']);
  }
  await store(one, [{ license: 'license:late', name: 'Sold' }]);
  for (const node of nodes) {
    assert.deepEqual((await list(node, 'late')).toSorted(), [['60'], ['license:late']]);
    assert.deepEqual((await readPage(node, '60')).otherIds, []);
  }
});

test('notes of all nodes are shown', async () => {
  const about = { kind: 'player', id: '43' };
  const read = async ({ person }: Node) =>
    (await person.call(notes.listSubjectNotes, { params, query: about })).data.map(({ text }) => text);
  const { data } = await one.person.call(notes.createSubjectNote, {
    params,
    body: { ...about, text: 'Warned' },
  });
  assert.deepEqual(await read(other), ['Warned']);
  const place = { params: { ...params, note: data.id } };
  await other.person.call(notes.updateSubjectNote, { ...place, body: { text: 'Warned twice' } });
  assert.deepEqual(await read(one), ['Warned twice']);
  await one.person.call(notes.deleteSubjectNote, place);
  assert.deepEqual(await read(other), []);
});

test('evidence contains what the other node has just received', async () => {
  for (const [writer, reader] of [nodes, nodes.toReversed()] as [Node, Node][]) {
    await store(writer, [{ id: 'accused' }, { id: 'accused' }]);
    const { entries } = await readPage(reader, 'accused');
    const body = { query: 'player.id:accused' };
    const response = await answered(() => reader.person.send(createEvidence, { params, body }));
    const bytes = Buffer.from(await response.arrayBuffer());
    const source = {
      sizeBytes: bytes.length,
      read: async (position: number, length: number) => bytes.subarray(position, position + length),
    };
    const found = (await listStoredEntries(source)).find(({ path }) => path === 'entries.ndjson');
    assert.ok(found);
    const lines = bytes.subarray(found.startsAt, found.startsAt + found.sizeBytes).toString();
    assert.equal(lines.trim().split('\n').length, entries);
  }
});

test('players of a dataset that is deleted at one node are gone at the other', async () => {
  await store(other, [{ id: 'gone', name: 'Gone' }], 'passing');
  await store(one, [{ id: 'gone', name: 'Gone' }, { id: '43' }], 'passing');
  for (const node of nodes) assert.deepEqual(await list(node, 'gone'), [['gone']]);
  await other.person.call(deleteDataset, { params: { ...params, dataset: 'passing' } });
  for (const node of nodes) {
    assert.deepEqual(await list(node, 'gone'), []);
    const input = { params: { ...params, kind: 'player', id: 'gone' } };
    assert.equal(await node.person.refuse(getSubject, input), '404 not_found');
    assert.equal((await readPage(node, '43')).entries, 2);
  }
});

test('a node that is killed with its disk while it lists players loses no acknowledged ones', async () => {
  const sent = { acknowledged: 0, open: 0 };
  const isRefusal = (status: number) => status === 503;
  const write = async (writer: number) => {
    for (let number = 0; ; number++) {
      const players = [{ id: 'busy', name: `W${writer} ${number}` }, { id: `w${writer}-${number}` }];
      sent.open++;
      const status = await send(other, 'game', players).then(
        response => response.status,
        () => null, // killed before it responded
      );
      if (status === null) return;
      sent.open--;
      if (!isRefusal(status)) sent.acknowledged++;
    }
  };
  const request = async () => {
    while ((await other.person.send(listSubjects, { params }).catch(() => null)) !== null);
  };
  const working = Promise.all([write(0), write(1), write(2), request(), request()]);
  const deadline = performance.now() + recoveryMsMax;
  for (; sent.acknowledged < 60; await wait(10))
    assert.ok(performance.now() < deadline, 'entries are accepted');
  await dying[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  await working;
  const { entries, names } = await readPage(one, 'busy');
  const most = sent.acknowledged + sent.open;
  assert.ok(entries >= sent.acknowledged && entries <= most, `${entries} of ${JSON.stringify(sent)}`);
  assert.equal(names.length, Math.min(entries, limits.subjectValuesMax));
});

/** Subjects: proposed and confirmed kinds, searches by id and name, and each subject's data, compared with a count by hand. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { deleteProjectFile, restoreProjectFile } from '@tapedeck/contract/projectFiles';
import { queryProjectLogs } from '@tapedeck/contract/projectLogs';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { getSubject, listSubjectProposals, listSubjects } from '@tapedeck/contract/subjects';
import { makeChance } from '@tapedeck/metadata-store/testing/randomFiles';
import { withToken } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const chance = makeChance(7);
const long = 'x'.repeat(200);
const ids = [7, '7', '007', 'a/b/c', '😀 Ann', long, 'ünï/../x', '%2F', 'null'];
const names = ['Ann', 'ANN', 'Ünder_Taker', '<b>Bob</b>', '日本 x', ''];
const player = {
  kind: 'player',
  idPaths: ['player.id', 'playerId'],
  namePaths: ['player.name', 'playerName'],
};

type Row = { at: number; ids: string[]; names: string[]; level?: string; resource?: string; type?: string };
const rows: Row[] = [];

function makeMetadata(): { metadata: Record<string, unknown>; row: Pick<Row, 'ids' | 'names'> } {
  const [id, other] = [chance.pick(ids), chance.pick([...ids, ''])];
  const [name, second] = [chance.pick(names), chance.pick(names)];
  const metadata: Record<string, unknown> = { player: { id, name } };
  const row = { ids: [String(id)], names: [name] };
  if (chance.below(3) === 0) {
    Object.assign(metadata, { playerId: chance.pick([id, other]), playerName: second });
    row.ids.push(String(metadata.playerId));
    row.names.push(second);
  }
  const distinct = (texts: string[]) => [...new Set(texts)].filter(text => text !== '');
  return { metadata, row: { ids: distinct(row.ids), names: distinct(row.names) } };
}

async function addEntries(count: number, dataset: string): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => {
    const { metadata, row } = makeMetadata();
    const [level, resource] = [
      chance.pick(['debug', 'info', 'warn', 'error']),
      chance.pick(['shop', 'core', '']),
    ];
    const at = service.clock.now() - chance.below(20 * 86_400_000);
    if (dataset !== 'gone') rows.push({ ...row, at, level, resource });
    return { level, resource, message: `entry ${index}`, metadata, timestamp: new Date(at).toISOString() };
  });
  await store(items, dataset);
}

async function addFile(): Promise<string> {
  const { metadata, row } = makeMetadata();
  const isSound = chance.below(2) === 0;
  const fields = { metadata: JSON.stringify(metadata), visibility: chance.pick(['public', 'private']) };
  const { id } = await uploadFile(service, isSound ? makeSound() : await makePicture(), fields);
  const { createdAt } = (await (await service.openStore()).files.find('default', id)) ?? { createdAt: 0 };
  rows.push({ ...row, at: createdAt, type: isSound ? 'audio' : 'image' });
  return id;
}

await addEntries(250, 'one');
await addEntries(60, 'gone');
await store([{ level: 'info', message: 'nobody' }], 'two');
for (let index = 0; index < 30; index++) await addFile();

const toMicros = (at: number) => new Date(at).toISOString().replace('Z', '000Z');

function timesOf(meant: readonly Row[]) {
  const times = meant.map(({ at }) => at);
  return { firstSeenAt: toMicros(Math.min(...times)), lastSeenAt: toMicros(Math.max(...times)) };
}

function countBy(meant: readonly Row[], key: 'level' | 'type' | 'resource'): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { [key]: value } of meant) if (value) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function namesOf(meant: readonly Row[]) {
  return [...new Set(meant.flatMap(row => row.names))]
    .map(name => ({ name, ...timesOf(meant.filter(row => row.names.includes(name))) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function describeByHand(id: string) {
  const meant = rows.filter(row => row.ids.includes(id));
  const hours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const { at } of meant) {
    const date = new Date(at);
    const day = hours[(date.getUTCDay() + 6) % 7];
    if (day) day[date.getUTCHours()] = (day[date.getUTCHours()] ?? 0) + 1;
  }
  return {
    kind: 'player',
    id,
    names: namesOf(meant),
    ...timesOf(meant),
    entries: meant.filter(({ level }) => level).length,
    files: meant.filter(({ type }) => type).length,
    levels: { debug: 0, info: 0, warn: 0, error: 0, ...countBy(meant, 'level') },
    types: { image: 0, video: 0, audio: 0, ...countBy(meant, 'type') },
    resources: countBy(meant, 'resource'),
    hours,
  };
}

async function compareSubject(id: string): Promise<void> {
  const { data } = await owner.call(getSubject, { params: { ...params, kind: 'player', id } });
  const { identifiers, resources, idPaths, ...told } = data;
  const sorted = told.names.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const counted = Object.fromEntries(resources.map(({ resource, entries }) => [resource, entries]));
  assert.deepEqual({ ...told, names: sorted, resources: counted }, describeByHand(id));
  assert.ok(idPaths.length > 0 && idPaths.every(path => player.idPaths.includes(path)));
  assert.ok(identifiers.every(({ path, value }) => player.idPaths.includes(path) && value !== id));
}

const distinctIds = () => [...new Set(rows.flatMap(row => row.ids))];

async function search(q: string, limit = 100) {
  const found: Awaited<ReturnType<typeof once>>['data'] = [];
  const once = (cursor?: string) =>
    owner.call(listSubjects, { params, query: { kind: 'player', q, limit, ...(cursor && { cursor }) } });
  for (let answer = await once(); ; ) {
    found.push(...answer.data);
    const { nextCursor, total } = answer.pagination;
    if (nextCursor === null) {
      assert.equal(total, found.length);
      return found;
    }
    answer = await once(nextCursor);
  }
}

async function compareSearch(q: string, limit?: number): Promise<void> {
  const folded = q.toLowerCase();
  const expected = distinctIds()
    .map(describeByHand)
    .filter(({ id, names: told }) =>
      [id, ...told.map(({ name }) => name)].some(text => text.toLowerCase().includes(folded)),
    )
    .map(({ id, names: told, firstSeenAt, lastSeenAt, entries, files }) => ({
      kind: 'player',
      id,
      names: told,
      firstSeenAt,
      lastSeenAt,
      entries,
      files,
    }))
    .sort((one, other) => (one.lastSeenAt < other.lastSeenAt ? 1 : -1));
  const found = (await search(q, limit)).map(subject => ({
    ...subject,
    names: subject.names.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  }));
  assert.deepEqual(found, expected, q);
}

describe('kinds', () => {
  it('are suggested by the paths that occur, and confirmed by an admin', async () => {
    const before = await owner.call(listSubjectProposals, { params });
    const [proposal, ...others] = before.data;
    assert.ok(proposal);
    const { entries, files, ...kind } = proposal;
    assert.deepEqual(kind, player);
    assert.deepEqual([entries, files, others], [310, 30, []]);
    const { project } = await owner.call(updateProject, { params, body: { subjects: [kind] } });
    assert.deepEqual(project.subjects, [player]);
    assert.deepEqual((await owner.call(listSubjectProposals, { params })).data, []);
  });

  const kind = (changes: object) => ({ ...player, ...changes });
  const refused: readonly [title: string, subjects: object[], code: string][] = [
    ['one twice', [player, player], '400 invalid_field'],
    ['a duplicate path', [kind({ idPaths: ['a', 'a'] })], '400 invalid_field'],
    ['no path of an id', [kind({ idPaths: [] })], '400 invalid_field'],
    ['an empty path', [kind({ namePaths: [''] })], '400 invalid_field'],
    ['a path that is too long', [kind({ idPaths: ['x'.repeat(257)] })], '400 invalid_field'],
    ['a name with a slash', [kind({ kind: 'a/b' })], '400 invalid_field'],
    ['too many', Array.from({ length: 21 }, (_, index) => kind({ kind: `k${index}` })), '400 invalid_field'],
  ];
  for (const [title, subjects, code] of refused)
    it(`reject ${title}`, async () => {
      // Wrong on purpose.
      const body = { subjects } as BodyOf<typeof updateProject>;
      assert.equal(await owner.refuse(updateProject, { params, body }), code);
    });
});

it('deleted entries do not count', async () => {
  await search('');
  await owner.call(deleteDataset, { params: { ...params, dataset: 'gone' } });
  await compareSearch('');
});

describe('a subject has exact facts', () => {
  for (const id of [...new Set(ids.map(String))]) it(id.slice(0, 20), () => compareSubject(id));
});

describe('a search finds ids and names', () => {
  for (const q of ['', 'ann', 'NN', 'ünder_', '<B>', '日本', 'a/b', '7', '😀', 'nobody', long])
    it(q.slice(0, 20), () => compareSearch(q));
  it('in pages', () => compareSearch('', 2));
});

it('later entries change it, and so do files that are trashed and restored', async () => {
  for (let round = 0; round < 3; round++) {
    await addEntries(8, 'one');
    const file = await addFile();
    const added = rows.at(-1);
    await compareSearch('');
    await owner.call(deleteProjectFile, { params: { ...params, file }, query: { trash: 'true' } });
    rows.pop();
    await compareSubject(added?.ids[0] ?? '');
    await compareSearch('');
    await owner.call(restoreProjectFile, { params: { ...params, file } });
    if (added) rows.push(added);
    await compareSubject(added?.ids[0] ?? '');
  }
});

describe('rejects', () => {
  const refused: readonly [kind: string, id: string][] = [
    ['player', 'nobody at all'],
    ['player', "' OR 1=1 --"],
    ['vehicle', '7'],
    ['<script>', '7'],
  ];
  for (const [kind, id] of refused)
    it(`${kind} ${id}`, async () => {
      assert.equal(await owner.refuse(getSubject, { params: { ...params, kind, id } }), '404 not_found');
    });
  it('a kind in a search', async () => {
    assert.equal(await owner.refuse(listSubjects, { params, query: { kind: 'ship' } }), '404 not_found');
  });
  it('a search that is too long, and a forged cursor', async () => {
    const q = 'x'.repeat(257);
    assert.equal(await owner.refuse(listSubjects, { params, query: { q } }), '400 invalid_field');
    const query = { cursor: 'none' };
    assert.equal(await owner.refuse(listSubjects, { params, query }), '400 cursor_invalid');
  });
});

it('viewers can read; a project sees nothing of another; tokens cannot read', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const input = { params: { ...params, kind: 'player', id: '7' } };
  assert.equal((await viewer.call(getSubject, input)).data.id, '7');
  assert.ok((await viewer.call(listSubjects, { params })).data.length > 3);
  assert.deepEqual((await viewer.call(listSubjectProposals, { params })).data, []);
  const body = { subjects: [] };
  assert.match(await viewer.refuse(updateProject, { params, body }), /^403 /);
  const project = await addProject(owner, 'other');
  assert.deepEqual((await owner.call(listSubjects, { params: { project } })).data, []);
  await owner.call(updateProject, { params: { project }, body: { subjects: [player] } });
  assert.deepEqual((await owner.call(listSubjects, { params: { project } })).data, []);
  const outsider = { params: { project, kind: 'player', id: '7' } };
  assert.equal(await owner.refuse(getSubject, outsider), '404 not_found');
  assert.equal(await viewer.refuse(getSubject, outsider), '404 not_found');
  const { token } = await addToken(owner, { kind: 'admin' });
  assert.match(await withToken(service, token).refuse(listSubjects, { params }), /^403 /);
  assert.equal((await owner.call(queryProjectLogs, { params, query: { dataset: 'two' } })).data.length, 1);
});

/** Player pages reveal nothing of another project, and tokens cannot read them: no entries, no files, not even whether a player exists. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createEvidence } from '@tapedeck/contract/evidence';
import { linkFile } from '@tapedeck/contract/fileActions';
import { updateProject } from '@tapedeck/contract/projects';
import type { Route } from '@tapedeck/contract/route';
import { createSubjectNote, listSubjectNotes } from '@tapedeck/contract/subjectNotes';
import { getSubject, listSubjectProposals, listSubjects } from '@tapedeck/contract/subjects';
import { getTimeline } from '@tapedeck/contract/timeline';
import { type Client, type Input, makeClient, withToken } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const other = await addProject(owner, 'other');
const player = { kind: 'player', idPaths: ['player.id', 'player.license'], namePaths: ['player.name'] };
for (const project of ['default', other])
  await owner.call(updateProject, { params: { project }, body: { subjects: [player] } });

const secret = 'Zyzzyva';
const metadata = { player: { id: 43, license: `license:${secret}`, name: secret } };
const logsOfOther = (await addToken(owner, { kind: 'logs', project: other })).token;
const mediaOfOther = (await addToken(owner, { kind: 'media', project: other })).token;
await store([{ level: 'info', message: 'joined', metadata: { player: { id: 43 } } }], 'one');
await store([{ level: 'error', message: secret, resource: secret, metadata }], 'two', {
  authorization: logsOfOther,
});
const picture = await makePicture();
const hidden = await uploadFile(
  service,
  picture,
  { filename: `${secret}.png`, visibility: 'private', metadata: JSON.stringify(metadata) },
  { token: mediaOfOther },
);
const shown = await uploadFile(
  service,
  picture,
  { filename: `${secret} 2.png`, metadata: JSON.stringify(metadata) },
  { token: mediaOfOther },
);
service.clock.advance(1_000);

const about = { kind: 'player', id: '43' };
const questions: readonly [title: string, route: Route, input: Input<Route>][] = [
  ['the timeline', getTimeline, { query: { query: 'player.id:43' } }],
  ['the whole timeline', getTimeline, { query: { includeTotal: 'true' } }],
  ['files of the timeline', getTimeline, { query: { kind: 'file' } }],
  ['the page', getSubject, { params: { ...about }, query: { joinIds: 'true' } }],
  ['the list', listSubjects, { query: { joinIds: 'true' } }],
  ['a search by name', listSubjects, { query: { q: secret } }],
  ['proposals', listSubjectProposals, {}],
  ['notes', listSubjectNotes, { query: about }],
  ['evidence', createEvidence, { body: { query: 'player.id:43' } }],
  ['evidence of everything', createEvidence, { body: { notesAbout: about } }],
];

function request(client: Client, project: string, [, route, input]: (typeof questions)[number]) {
  return client.send(route, { ...input, params: { ...input.params, project } } as Input<Route>); // with the route's own parameters
}

describe('a project shows nothing of another, even to a user who reads both', () => {
  for (const question of questions)
    it(question[0], async () => {
      const response = await request(owner, 'default', question);
      const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
      assert.equal(response.status, 200, text.slice(0, 300));
      for (const word of [secret, hidden.id, shown.id, '"two"']) assert.ok(!text.includes(word), word);
    });

  it('the page of a player who is known only there', async () => {
    const input = { params: { ...params, kind: 'player', id: `license:${secret}` } };
    assert.equal(await owner.refuse(getSubject, input), '404 not_found');
  });
});

describe('a user without a right to a project learns nothing about its players', () => {
  const callers: readonly (readonly [title: string, open: () => Promise<Client>, expected: RegExp])[] = [
    ['nobody', async () => makeClient(service), /^401 session_missing$/],
    ['a viewer of another project', () => addPerson(service, { roles: { default: 'viewer' } }), /^404 not_found$/],
    ['an admin of another project', () => addPerson(service, { roles: { default: 'admin' } }), /^404 not_found$/],
    ...(['admin', 'logs', 'media', 'webhook'] as const).map(
      kind =>
        [
          `a token of the kind ${kind}`,
          async () => withToken(service, (await addToken(owner, { kind, project: other })).token),
          /^403 (role_missing|wrong_token_kind)$/,
        ] as const,
    ),
  ]; // biome-ignore format: a table
  for (const [title, open, expected] of callers)
    it(title, async () => {
      const client = await open();
      for (const question of questions) {
        const response = await request(client, other, question);
        const text = await response.text();
        const { code } = JSON.parse(text) as { code: string }; // every error has a code
        assert.match(`${response.status} ${code}`, expected, question[0]);
        assert.ok(!text.includes(secret));
      }
      const note = { params: { project: other }, body: { ...about, text: 'hello' } };
      assert.match(await client.refuse(createSubjectNote, note), expected);
    });

  it('a former member', async () => {
    const person = await addPerson(service, { roles: { [other]: 'viewer' } });
    const [first] = questions;
    assert.ok(first);
    assert.equal((await request(person, other, first)).status, 200);
    const store = await service.openStore();
    await store.write(records => records.memberships.remove(person.id, other));
    for (const question of questions) assert.equal((await request(person, other, question)).status, 404);
  });
});

it('evidence has the bytes of a private file, but no URL in it or in a timeline serves them', async () => {
  const viewer = await addPerson(service, { roles: { [other]: 'viewer' } });
  const input = { params: { project: other }, query: { query: 'player.id:43', kind: 'file' as const } };
  const { data } = await viewer.call(getTimeline, input);
  const rows = data.flatMap(row => (row.kind === 'file' ? [row] : []));
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), [hidden.id, shown.id].toSorted());
  const urls = rows
    .filter(({ id }) => id === hidden.id)
    .flatMap(({ url, originalUrl }) => [url, originalUrl]);
  const { data: linked } = await withToken(service, mediaOfOther).call(linkFile, {
    params: { file: hidden.id },
    body: {},
  });
  assert.equal((await service.fetch(pathOf(linked.url))).status, 200); // in memory from here on
  for (const url of urls) {
    for (const query of ['', '?w=320', '?poster', '?download=1'])
      assert.equal((await service.fetch(pathOf(url) + query)).status, 404);
    const asViewer = { headers: { cookie: `tapedeck_session=${viewer.cookie}` } };
    assert.equal((await service.fetch(pathOf(url), asViewer)).status, 404);
  }
});

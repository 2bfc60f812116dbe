/** Evidence with the team's notes: only on request, escaped on the page, and signed like the rest. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEvidence } from '@tapedeck/contract/evidence';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { createSubjectNote } from '@tapedeck/contract/subjectNotes';
import { openEvidenceKey } from '@tapedeck/domain/subjects/evidence/signing';
import { verifyEvidence } from '@tapedeck/domain/subjects/evidence/verification';
import { listStoredEntries } from '@tapedeck/zip-archives';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const about = { kind: 'player', id: '43' };
const hostile = `<script>alert(1)</script>" onerror='x' &\u202e =1+1\n<b>second line`;
await store([{ level: 'info', message: 'joined', metadata: { player: { id: 43 } } }], 'one');
const subjects = [{ kind: 'player', idPaths: ['player.id'], namePaths: [] }];
await owner.call(updateProject, { params, body: { subjects } });
for (const text of [hostile, 'banned']) {
  service.clock.advance(1000);
  await owner.call(createSubjectNote, { params, body: { ...about, text } });
}

async function make(body: BodyOf<typeof createEvidence>) {
  const response = await viewer.send(createEvidence, { params, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString().slice(0, 500));
  const read = async (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length));
  const source = { sizeBytes: bytes.length, read };
  const entries = await listStoredEntries(source);
  const find = (path: string) => {
    const entry = entries.find(each => each.path === path);
    return entry && bytes.toString('utf8', entry.startsAt, entry.startsAt + entry.sizeBytes);
  };
  return { source, notes: find('notes.json'), page: find('index.html') ?? '' };
}

test('an archive with notes has them newest first, and verifies', async () => {
  const { source, notes, page } = await make({ query: 'player.id:43', notesAbout: about });
  const texts = (JSON.parse(notes ?? '') as { text: string }[]).map(({ text }) => text); // the API's shape
  assert.deepEqual(texts, ['banned', hostile]);
  assert.match(page, /Notes by the team/);
  assert.match(page, /second line/);
  assert.doesNotMatch(page, /<script|<b>|\u202e|<[^>]+ on\w+=/);
  const key = openEvidenceKey(await keepSecret(service.dataDir)).publicKey;
  assert.deepEqual((await verifyEvidence(source, key)).problems, []);
});

test('an archive without notes omits them', async () => {
  const { notes, page } = await make({ query: 'player.id:43' });
  assert.equal(notes, undefined);
  assert.doesNotMatch(page, /Notes by the team|banned/);
});

test('a subject without notes has an empty list, and an unknown kind is rejected', async () => {
  const { notes, page } = await make({ notesAbout: { kind: 'player', id: '44' } });
  assert.equal(notes, '[]\n');
  assert.doesNotMatch(page, /Notes by the team/);
  const body = { notesAbout: { kind: 'vehicle', id: '1' } };
  assert.equal(await viewer.refuse(createEvidence, { params, body }), '404 not_found');
});

/** Notes about players: who writes, edits, deletes and reads them, and what happens when an author is deleted. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/subjectNotes';
import { deleteUser } from '@tapedeck/contract/users';
import { limits } from '@tapedeck/domain/vocabulary';
import { sampleSubjectNote } from '@tapedeck/metadata-store/testing/noteSamples';
import { newId } from '@tapedeck/values/random-ids';
import { addPerson, addProject } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const admin = await addPerson(service, { roles: { default: 'admin' } });
const member = await addPerson(service, { roles: { default: 'member' } });
const leaver = await addPerson(service, { roles: { default: 'member' } });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const params = { project: 'default' };
const kind = 'player';
const subjects = [{ kind, idPaths: ['player.id'], namePaths: [] }];
await owner.call(updateProject, { params, body: { subjects } });

/** An id that URLs and bodies must not change. */
const id = 'a/b?c=%2F😀/notes';
const write = (text: string, by = member) =>
  by.call(contract.createSubjectNote, { params, body: { kind, id, text } });
const list = async (about = id) =>
  (await viewer.call(contract.listSubjectNotes, { params, query: { kind, id: about } })).data;
const place = (note: string) => ({ params: { ...params, note } });

test("everyone in the project can read a member's note, newest first", async () => {
  const text = 'Warned him.\n<b>Twice</b> “ü” 😀';
  const { data: first } = await write(text);
  assert.deepEqual(
    [first.text, first.kind, first.subject, first.editedAt, first.author.id],
    [text, kind, id, null, member.id],
  );
  assert.equal(first.createdAt, new Date(service.clock.now()).toISOString());
  service.clock.advance(1000);
  const { data: second } = await write('Appealed.', leaver);
  assert.deepEqual(await list(), [second, first]);
  assert.deepEqual(await list('43'), []);
});

test('only the author edits a note, which shows when', async () => {
  const [, first] = await list();
  const edit = { ...place(first!.id), body: { text: 'Warned her.' } };
  for (const other of [leaver, admin, owner])
    assert.equal(await other.refuse(contract.updateSubjectNote, edit), '403 role_missing');
  assert.equal(await viewer.refuse(contract.updateSubjectNote, edit), '403 role_missing');
  service.clock.advance(1000);
  const { data } = await member.call(contract.updateSubjectNote, edit);
  const editedAt = new Date(service.clock.now()).toISOString();
  assert.deepEqual(data, { ...first, text: 'Warned her.', editedAt });
  assert.deepEqual((await list())[1], data);
});

test('the note of a deleted author keeps the name, and loses the id', async () => {
  const [second] = await list();
  await owner.call(deleteUser, { params: { user: leaver.id } });
  const [orphan] = await list();
  assert.deepEqual(orphan, { ...second, author: { id: null, name: second!.author.name } });
  assert.notEqual(orphan!.author.name, '');
});

test('the author and admins can delete a note', async () => {
  const [orphan, first] = await list();
  assert.equal(await viewer.refuse(contract.deleteSubjectNote, place(first!.id)), '403 role_missing');
  assert.equal(await member.refuse(contract.deleteSubjectNote, place(orphan!.id)), '403 role_missing');
  await admin.call(contract.deleteSubjectNote, place(orphan!.id));
  await member.call(contract.deleteSubjectNote, place(first!.id));
  assert.deepEqual(await list(), []);
  assert.equal(await member.refuse(contract.deleteSubjectNote, place(first!.id)), '404 not_found');
  const edit = { ...place(first!.id), body: { text: 'x' } };
  assert.equal(await member.refuse(contract.updateSubjectNote, edit), '404 not_found');
});

test('the audit log says who did what to whose notes, and never the text', async () => {
  const { entries } = await owner.call(listProjectAudit, { params });
  const about = entries.filter(({ action }) => action.startsWith('note.'));
  assert.deepEqual(
    about.map(({ action, actor }) => `${action} ${actor}`),
    [
      `note.delete user ${member.email}`,
      `note.delete user ${admin.email}`,
      `note.update user ${member.email}`,
      `note.create user ${leaver.email}`,
      `note.create user ${member.email}`,
    ],
  );
  for (const { details } of about) assert.deepEqual(details, { kind, subject: id });
});

test('treats a note of another project as absent', async () => {
  const { data } = await write('of default');
  const project = await addProject(owner, 'other');
  const elsewhere = { params: { project, note: data.id } };
  assert.equal(await owner.refuse(contract.deleteSubjectNote, elsewhere), '404 not_found');
  const edit = { ...elsewhere, body: { text: 'x' } };
  assert.equal(await owner.refuse(contract.updateSubjectNote, edit), '404 not_found');
  await member.call(contract.deleteSubjectNote, place(data.id));
});

describe('rejects a note', () => {
  const fine = { kind, id, text: 'x' };
  const rows: readonly [string, BodyOf<typeof contract.createSubjectNote>, string][] = [
    ['without text', { ...fine, text: '' }, '400 invalid_field'],
    ['of only spaces', { ...fine, text: ' \n\t' }, '400 invalid_field'],
    ['that is too long', { ...fine, text: 'x'.repeat(limits.noteCharactersMax + 1) }, '400 invalid_field'],
    ['with NUL', { ...fine, text: 'a\0b' }, '400 invalid_field'],
    ['with a lone surrogate', { ...fine, text: 'a\ud800' }, '400 invalid_field'],
    ['about nobody', { ...fine, id: '' }, '400 invalid_field'],
    ['about an overlong id', { ...fine, id: 'x'.repeat(257) }, '400 invalid_field'],
    ['about a kind that the project does not have', { ...fine, kind: 'vehicle' }, '404 not_found'],
  ];
  for (const [name, body, expected] of rows) {
    it(name, async () => {
      assert.equal(await member.refuse(contract.createSubjectNote, { params, body }), expected);
    });
  }

  it('by a viewer', async () => {
    const input = { params, body: fine };
    assert.equal(await viewer.refuse(contract.createSubjectNote, input), '403 role_missing');
  });

  it('beyond the limit per subject', async () => {
    const store = await service.openStore();
    await store.write(async ({ subjectNotes }) => {
      for (let index = 0; index < limits.notesMax; index += 1)
        await subjectNotes.insert(sampleSubjectNote({ id: newId(), subject: 'full' }));
    });
    const input = { params, body: { ...fine, id: 'full' } };
    assert.equal(await member.refuse(contract.createSubjectNote, input), '400 invalid_field');
    assert.equal((await list('full')).length, limits.notesMax);
  });
});

test('accepts the longest note, with each character escaped', async () => {
  const text = '“'.repeat(limits.noteCharactersMax);
  const escapeLetters = (value: string) => value.replaceAll('“', '\\u201c').replaceAll('ü', '\\u00fc');
  const body = escapeLetters(JSON.stringify({ kind, id: 'ü'.repeat(limits.noteSubjectCharactersMax), text }));
  const response = await service.fetch('/api/manage/projects/default/notes', {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `tapedeck_session=${member.cookie}` },
    body,
  });
  assert.equal(response.status, 200, await response.text());
});

test('notes of a removed kind cannot be listed, and return with it', async () => {
  await write('kept');
  await owner.call(updateProject, { params, body: { subjects: [] } });
  const query = { kind, id };
  assert.equal(await viewer.refuse(contract.listSubjectNotes, { params, query }), '404 not_found');
  await owner.call(updateProject, { params, body: { subjects } });
  assert.deepEqual(
    (await list()).map(({ text }) => text),
    ['kept'],
  );
});

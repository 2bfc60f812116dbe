/** Notes about subjects. */
import assert from 'node:assert/strict';
import type { SubjectNote } from '@tapedeck/domain/ports/subjectNotes';
import { limits } from '@tapedeck/domain/vocabulary';
import type { ConformanceCase } from './cases.ts';
import { sampleSubjectNote } from './noteSamples.ts';
import { insertDefaultProject, sampleProject } from './samples.ts';

const about = { project: 'default', kind: 'player', subject: '43' };

export const subjectNoteCases: readonly ConformanceCase[] = [
  {
    title: 'notes are read back as written, newest first, for one subject',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
      const insert = (note: SubjectNote) => store.write(({ subjectNotes }) => subjectNotes.insert(note));
      const older = sampleSubjectNote({ text: 'two\nlines “ü” \u202e 😀' });
      const newer = sampleSubjectNote({ id: 'b', createdAt: older.createdAt + 1, editedAt: 7 });
      await insert(older);
      await insert(newer);
      await insert(sampleSubjectNote({ id: 'c', subject: '44' }));
      await insert(sampleSubjectNote({ id: 'd', kind: 'vehicle' }));
      await insert(sampleSubjectNote({ id: 'e', project: 'other' }));
      assert.deepEqual(await store.read.subjectNotes.list(about), [newer, older]);
      assert.deepEqual(await store.read.subjectNotes.find('b'), newer);
      assert.equal(await store.read.subjectNotes.find('f'), null);
    },
  },
  {
    title: 'replaces the text of one, and removes one',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const [kept, changed] = [sampleSubjectNote({ id: 'a' }), sampleSubjectNote({ id: 'b' })];
      await store.write(async ({ subjectNotes }) => {
        await subjectNotes.insert(kept);
        await subjectNotes.insert(changed);
        await subjectNotes.update({ id: 'b', text: 'new', editedAt: 9 });
      });
      assert.deepEqual(await store.read.subjectNotes.list(about), [
        { ...changed, text: 'new', editedAt: 9 },
        kept,
      ]);
      const remove = () => store.write(({ subjectNotes }) => subjectNotes.remove('b'));
      assert.equal(await remove(), true);
      assert.equal(await remove(), false);
      assert.deepEqual(await store.read.subjectNotes.list(about), [kept]);
    },
  },
  {
    title: 'stores the longest id of four-byte letters; rejects a note of an unknown project',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      // Nothing repeats, so that no database can compress it.
      const letters = Array.from({ length: limits.noteSubjectCharactersMax }, (_, index) =>
        String.fromCodePoint(0x20000 + ((index * 7919) % 40000)),
      );
      const note = sampleSubjectNote({
        subject: letters.join(''),
        text: '😀'.repeat(limits.noteCharactersMax),
      });
      await store.write(({ subjectNotes }) => subjectNotes.insert(note));
      assert.deepEqual(await store.read.subjectNotes.list(note), [note]);
      await assert.rejects(
        store.write(({ subjectNotes }) =>
          subjectNotes.insert(sampleSubjectNote({ id: 'never', project: 'never' })),
        ),
        { code: 'not_found' },
      );
    },
  },
];

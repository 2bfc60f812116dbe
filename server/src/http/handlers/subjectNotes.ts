/** Handles the notes about subjects. */

import * as contract from '@tapedeck/contract/subjectNotes';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import * as notes from '@tapedeck/domain/subjects/notes';
import type { Static } from 'typebox';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleSubjectNotes(deps: ManagementDeps): HandledRoute[] {
  return [
    handle(contract.listSubjectNotes, async ({ query, caller }) => ({
      ...ok,
      data: (await notes.listNotes(deps, caller, query)).map(presentNote),
    })),
    handle(contract.createSubjectNote, async ({ params: { project }, body, caller }) => {
      const { kind, id: subject, text } = body;
      const note = await notes.writeNote(deps, caller, { project, kind, subject, text });
      return { ...ok, data: presentNote(note) };
    }),
    handle(contract.updateSubjectNote, async ({ params: { project, note: id }, body, caller }) => ({
      ...ok,
      data: presentNote(await notes.editNote(deps, caller, { project, id, ...body })),
    })),
    handle(contract.deleteSubjectNote, async ({ params: { project, note: id }, caller }) => {
      await notes.deleteNote(deps, caller, { project, id });
      return ok;
    }),
  ];
}

export function presentNote(note: notes.SignedNote): Static<typeof contract.SubjectNoteRecord> {
  const { id, kind, subject, text, authorId, authorName, createdAt, editedAt } = note;
  return {
    id,
    kind,
    subject,
    text,
    author: { id: authorId, name: authorName },
    createdAt: writeInstant(createdAt),
    editedAt: editedAt === null ? null : writeInstant(editedAt),
  };
}

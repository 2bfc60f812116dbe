/** A plain note about a subject, with changes where a test needs them. */
import type { SubjectNote } from '@tapedeck/domain/ports/subjectNotes';

export function sampleSubjectNote(changes: Partial<SubjectNote> = {}): SubjectNote {
  return {
    id: 'a',
    project: 'default',
    kind: 'player',
    subject: '43',
    text: 'Warned for spawn killing.',
    createdAt: 1_700_000_000_000,
    authorId: 'user0000000000000000',
    authorName: 'Ann',
    editedAt: null,
    ...changes,
  };
}

/** Notes that project members write about a subject. Authors edit their own; authors and admins delete. */
import { newId } from '@tapedeck/values/random-ids';
import { isRoleAtLeast, requireRole, type UserPrincipal, type UserReader } from '../identity/principals.ts';
import type { MetadataStore, Records } from '../ports/metadata.ts';
import type { NotedSubject, SubjectNote } from '../ports/subjectNotes.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { invalidFieldError, limits, ServiceError } from '../vocabulary.ts';
import { findKind } from './kinds.ts';

/** A note as shown. A deleted author keeps the name but loses the id. */
export type SignedNote = Omit<SubjectNote, 'authorId'> & { authorId: string | null };

type NotePlace = { project: string; id: string };

export async function listNotes(
  { store }: { store: Pick<MetadataStore, 'read'> },
  { project }: UserReader,
  { kind, id }: { kind: string; id: string },
): Promise<SignedNote[]> {
  findKind(project, kind);
  const notes = await store.read.subjectNotes.list({ project: project.slug, kind, subject: id });
  const ids = [...new Set(notes.map(({ authorId }) => authorId))];
  const authors = await Promise.all(ids.map(async id => [id, await store.read.users.find(id)] as const));
  const byId = new Map(authors);
  return notes.map(note => {
    const author = byId.get(note.authorId) ?? null;
    if (author === null) return { ...note, authorId: null };
    return { ...note, authorName: nameAuthor(author) };
  });
}

export async function writeNote(
  deps: ManagementDeps,
  actor: UserReader,
  { text, ...about }: NotedSubject & { text: string },
): Promise<SubjectNote> {
  requireRole(actor, about.project, 'member');
  findKind(actor.project, about.kind);
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    if ((await records.subjectNotes.list(about)).length >= limits.notesMax) {
      const most = `A ${about.kind} can have ${limits.notesMax} notes; delete one first.`;
      throw invalidFieldError('text', most);
    }
    const author = { authorId: actor.user.id, authorName: nameAuthor(actor.user) };
    const note = { ...about, text, ...author, id: newId(), createdAt: now, editedAt: null };
    await records.subjectNotes.insert(note);
    await audit(describe('create', note));
    return note;
  });
}

export async function editNote(
  deps: ManagementDeps,
  actor: UserPrincipal,
  { text, ...place }: NotePlace & { text: string },
): Promise<SubjectNote> {
  requireRole(actor, place.project, 'member');
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    const before = await requireNote(records, place);
    if (before.authorId !== actor.user.id)
      throw new ServiceError('role_missing', 'You can only edit your own notes; write another one instead.');
    const note = { ...before, text, editedAt: now, authorName: nameAuthor(actor.user) };
    await records.subjectNotes.update(note);
    await audit(describe('update', note));
    return note;
  });
}

export async function deleteNote(
  deps: ManagementDeps,
  actor: UserPrincipal,
  place: NotePlace,
): Promise<void> {
  const role = requireRole(actor, place.project, 'member');
  await changeManaged(deps, actor, async ({ records, audit }) => {
    const note = await requireNote(records, place);
    if (note.authorId !== actor.user.id && !isRoleAtLeast(role, 'admin'))
      throw new ServiceError('role_missing', 'Only its author and admins of the project can delete a note.');
    await records.subjectNotes.remove(note.id);
    await audit(describe('delete', note));
  });
}

/** Treats another project's note as absent. */
async function requireNote({ subjectNotes }: Records, { project, id }: NotePlace): Promise<SubjectNote> {
  const note = await subjectNotes.find(id);
  if (note?.project === project) return note;
  throw new ServiceError('not_found', 'There is no such note; it may have been deleted.');
}

/** The audit log names the subject but omits the text, since deleting a note must remove its text. */
function describe(verb: 'create' | 'update' | 'delete', { project, id, kind, subject }: SubjectNote) {
  return { project, action: `note.${verb}`, target: id, details: { kind, subject } } as const;
}

function nameAuthor({ name, email }: UserPrincipal['user']): string {
  return name === '' ? email : name;
}

/** The team's notes about a player. Everyone reads them, members write them, and authors change their own. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../queries/projects.ts';
import { useMe } from '../../queries/session.ts';
import {
  type SubjectNote,
  subjectNotesQuery,
  useNoteCreation,
  useNoteDeletion,
} from '../../queries/subjectNotes.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Switch } from '../../ui/forms/Switch.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { NoteForm } from './NoteForm.tsx';
import { NoteItem } from './NoteItem.tsx';

type PlayerNotesProps = {
  project: string;
  about: { kind: string; id: string };
  /** True if the evidence includes notes. */
  isHandedOver: boolean;
  onHandOver: (isHandedOver: boolean) => void;
};

export function PlayerNotes({ project, about, isHandedOver, onHandOver }: PlayerNotesProps) {
  const { data: notes, error } = useQuery(subjectNotesQuery(project, about));
  const { role } = useProject(project);
  const me = useMe();
  const creation = useNoteCreation(project, about);
  const [deleting, setDeleting] = useState<SubjectNote | null>(null);
  const mayWrite = isRoleAtLeast(role, 'member');
  const isMine = (note: SubjectNote) => mayWrite && note.author.id === me.id;
  return (
    <Panel
      title="Team notes"
      about="Everyone in the project can read them."
      actions={
        notes !== undefined &&
        notes.length > 0 && (
          <Switch label="Include in evidence" checked={isHandedOver} onChange={onHandOver} />
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {error && <Notice look="error">{error.message}</Notice>}
        {!notes && !error && <Spinner />}
        {notes?.length === 0 && <p className="text-sm text-muted">No notes yet.</p>}
        {notes && notes.length > 0 && (
          <ol className="grid gap-3" aria-label="Notes">
            {notes.map(note => (
              <NoteItem
                key={note.id}
                project={project}
                about={about}
                note={note}
                mayWrite={mayWrite}
                mayEdit={isMine(note)}
                onDelete={isMine(note) || isRoleAtLeast(role, 'admin') ? () => setDeleting(note) : null}
              />
            ))}
          </ol>
        )}
        <NoteForm
          project={project}
          name={`note about ${about.kind} ${about.id}`}
          mayWrite={mayWrite}
          label="New note"
          action="Add note"
          failure={creation.error}
          busy={creation.isPending}
          onSubmit={(text, clear) => creation.mutate(text, { onSuccess: clear })}
        />
      </div>
      <DeleteNoteDialog project={project} about={about} note={deleting} onClose={() => setDeleting(null)} />
    </Panel>
  );
}

type DeleteNoteDialogProps = Pick<PlayerNotesProps, 'project' | 'about'> & {
  note: SubjectNote | null;
  onClose: () => void;
};

function DeleteNoteDialog({ project, about, note, onClose }: DeleteNoteDialogProps) {
  const { shown, confirm, dialog } = useConfirmation(note, useNoteDeletion(project, about), {
    onClose,
    onDone: () => showToast('Note deleted'),
  });
  return (
    <ConfirmDialog
      title="Delete this note?"
      action="Delete note"
      {...dialog}
      onConfirm={() => note && confirm(note.id)}
    >
      <p>
        Written by <bdi>{shown?.author.name}</bdi>. This can’t be undone.
      </p>
    </ConfirmDialog>
  );
}

/** Shows a note with author and time, or a form while its author edits it. */
import { useDraft } from '../../queries/drafts.ts';
import { type SubjectNote, useNoteChange } from '../../queries/subjectNotes.ts';
import { Button } from '../../ui/Button.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { NoteForm } from './NoteForm.tsx';

type NoteItemProps = {
  project: string;
  about: { kind: string; id: string };
  note: SubjectNote;
  mayWrite: boolean;
  mayEdit: boolean;
  /** null if the user may not delete it. */
  onDelete: (() => void) | null;
};

export function NoteItem({ project, about, note, mayWrite, mayEdit, onDelete }: NoteItemProps) {
  const [isEdited, setIsEdited] = useDraft({ project, form: `edits note ${note.id}` }, () => false);
  const change = useNoteChange(project, about);
  const close = () => {
    change.reset();
    setIsEdited(false);
  };
  if (isEdited)
    return (
      <li>
        <NoteForm
          project={project}
          name={`note ${note.id}`}
          mayWrite={mayWrite}
          label="Note"
          action="Save note"
          text={note.text}
          failure={change.error}
          busy={change.isPending}
          onSubmit={text => change.mutate({ note: note.id, text }, { onSuccess: close })}
          onCancel={close}
        />
      </li>
    );
  return (
    <li className="grid gap-1.5 rounded-lg border border-line bg-well/45 px-4 py-3 text-sm">
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {note.text}
      </p>
      <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted">
        <span className="wrap-anywhere">
          <bdi>{note.author.name}</bdi>
          {note.author.id === null && ' (account deleted)'}
          {', '}
          <Timestamp at={note.createdAt} />
          {note.editedAt && (
            <>
              {', edited '}
              <Timestamp at={note.editedAt} />
            </>
          )}
        </span>
        <span className="flex gap-1">
          {mayEdit && (
            <Button look="quiet" size="small" aria-label="Edit this note" onClick={() => setIsEdited(true)}>
              Edit
            </Button>
          )}
          {onDelete && (
            <Button look="quiet" size="small" aria-label="Delete this note" onClick={onDelete}>
              Delete
            </Button>
          )}
        </span>
      </footer>
    </li>
  );
}

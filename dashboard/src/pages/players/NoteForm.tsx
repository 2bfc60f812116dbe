/** Writes a new note, or edits one. */
import { limits } from '@tapedeck/client';
import { formatCount } from '../../format/numbers.ts';
import { useDraft } from '../../queries/drafts.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextArea } from '../../ui/forms/TextArea.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RoleLost } from '../members/RoleLost.tsx';

type NoteFormProps = {
  project: string;
  /** Names this form among all of the project. */
  name: string;
  /** False if the user has lost the role that saving needs. Then the form only keeps what they typed. */
  mayWrite: boolean;
  label: string;
  /** The submit button's verb. */
  action: string;
  text?: string;
  failure: Error | null;
  busy: boolean;
  onSubmit: (text: string, clear: () => void) => void;
  onCancel?: () => void;
};

const warnedCharacters = 200; // shows the characters left from here on

export function NoteForm({
  project,
  name,
  mayWrite,
  label,
  action,
  text: before = '',
  failure,
  busy,
  onSubmit,
  onCancel,
}: NoteFormProps) {
  const [text, setText] = useDraft({ project, form: name }, () => before);
  if (!mayWrite && text === '') return null;
  const left = limits.noteCharactersMax - text.length;
  return (
    <Form onSubmit={() => onSubmit(text.trim(), () => setText(''))}>
      <TextArea
        label={label}
        rows={text === '' ? 1 : 3}
        value={text}
        onChange={setText}
        maxLength={limits.noteCharactersMax}
        hint={left <= warnedCharacters ? `${formatCount(left)} characters left` : undefined}
      />
      {!mayWrite && <RoleLost project={project} task="write notes" />}
      {mayWrite && failure && <Notice look="error">{failure.message}</Notice>}
      <span className="flex gap-2.5">
        <Button type="submit" busy={busy} disabled={text.trim() === '' || !mayWrite}>
          {action}
        </Button>
        {onCancel && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </span>
    </Form>
  );
}

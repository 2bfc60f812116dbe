/** Renames a folder, or moves it into another. */
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { countThings, formatCount } from '../../../format/numbers.ts';
import { isWithin, useFolderMove } from '../../../queries/folderMoves.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { Form } from '../../../ui/forms/Form.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { FolderField } from '../FolderField.tsx';
import { announceOutcome, describeFailures } from './outcomes.ts';

type FolderMoveDialogProps = { project: string; path: string; open: boolean; onClose: () => void };

export function FolderMoveDialog({ project, path, open, onClose }: FolderMoveDialogProps) {
  const id = useId();
  const [typed, setTyped] = useState(path);
  const [failure, setFailure] = useState<string | null>(null);
  const { move, progress, isPending } = useMoveAndFollow(project, setFailure, onClose);
  const to = typed.replace(/^\/+|\/+$/g, '');
  const submit = () => {
    if (to === path) return onClose();
    const mistake = findMistake(path, to);
    setFailure(mistake);
    if (mistake === null) move(path, to);
  };
  return (
    <Dialog
      title="Rename or move folder"
      about="All files in it, and in its folders, move with it. URLs stay the same."
      open={open}
      onClose={isPending ? () => undefined : onClose}
    >
      <DialogBody>
        <Form id={id} onSubmit={submit}>
          <FolderField
            project={project}
            hint="Slashes separate folders. If the folder exists, the files are added to it."
            value={typed}
            onChange={setTyped}
          />
          <p role="status" className="text-sm text-muted">
            {progress &&
              `${formatCount(progress.done)} of ${countThings(progress.total, 'file')} moved. You can leave this page: the move continues.`}
          </p>
          {failure && <Notice look="error">{failure}</Notice>}
        </Form>
      </DialogBody>
      <DialogButtons>
        <Button disabled={isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" form={id} look="primary" busy={isPending}>
          Move
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function findMistake(from: string, to: string): string | null {
  if (to === '') return 'Enter the name of a folder.';
  return isWithin(to, from) ? 'A folder can’t be moved into itself.' : null;
}

/** Opens the folder at its new place once everything has moved. */
function useMoveAndFollow(project: string, onFailure: (sentence: string) => void, onMoved: () => void) {
  const moving = useFolderMove(project);
  const navigate = useNavigate();
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const move = (from: string, to: string) =>
    moving.mutate(
      { from, to, onProgress: (done, total) => setProgress({ done, total }) },
      {
        onError: error => onFailure(error.message),
        onSuccess: outcome => {
          const sentence = describeFailures(outcome, 'moved');
          if (sentence !== null) return onFailure(sentence);
          announceOutcome(outcome, 'moved');
          onMoved();
          void navigate({
            from: '/projects/$project/files',
            to: '/projects/$project/files',
            params: { project },
            search: ({ view, sort, order }) => ({ view, sort, order, path: to }),
          });
        },
      },
    );
  return { move, progress, isPending: moving.isPending };
}

/** Moves dropped files without asking, because a drop back undoes it. */
import { useNavigate } from '@tanstack/react-router';
import { useFileEdits } from '../../queries/fileChanges.ts';
import { isWithin, useFolderMove } from '../../queries/folderMoves.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { announceOutcome } from './actions/outcomes.ts';
import type { MoveInto } from './draggedFiles.ts';

/** `shown` is the open folder. The page follows it if it moves along. */
export function useMoveInto(project: string, shown: string): MoveInto {
  const edit = useFileEdits(project);
  const moveFolder = useFolderMove(project);
  const navigate = useNavigate();
  const follow = (from: string, to: string) =>
    void navigate({
      from: '/projects/$project/files',
      to: '/projects/$project/files',
      params: { project },
      search: ({ view, sort, order }) => ({ view, sort, order, path: `${to}${shown.slice(from.length)}` }),
    });
  return (dragged, path) => {
    if ('ids' in dragged)
      return edit.mutate(
        { ids: dragged.ids, edits: { path } },
        { onSuccess: outcome => announceOutcome(outcome, 'moved') },
      );
    const from = dragged.folder;
    const name = from.slice(from.lastIndexOf('/') + 1);
    const to = path === '' ? name : `${path}/${name}`;
    if (to === from) return;
    if (isWithin(path, from)) return showToast('A folder can’t be moved into itself.');
    moveFolder.mutate(
      { from, to },
      {
        onError: error => showToast(error.message),
        onSuccess: outcome => {
          announceOutcome(outcome, 'moved');
          if (isWithin(shown, from)) follow(from, to);
        },
      },
    );
  };
}

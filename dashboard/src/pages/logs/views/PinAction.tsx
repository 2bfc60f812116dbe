/** Pins the chart of a saved view to Home, or removes it. */
import { type LogView, useViewChange } from '../../../queries/logViews.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { MenuAction } from '../../../ui/Menu.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { isPinned, listPinned, pin, pinsMax, unpin } from './pins.ts';

type PinActionProps = { view: LogView; onToggle: (view: LogView) => void };

export function PinAction({ view, onToggle }: PinActionProps) {
  return (
    <MenuAction onClick={() => onToggle(view)}>
      <Icon name="bookmark" />
      {isPinned(view) ? 'Remove from Home' : 'Pin its chart to Home'}
    </MenuAction>
  );
}

/** For components that stay until the response comes; a menu closes before. */
export function usePinning(project: string, views: readonly LogView[]): (view: LogView) => void {
  const change = useViewChange(project);
  return view => {
    const wasPinned = isPinned(view);
    if (!wasPinned && listPinned(views).length >= pinsMax)
      return showToast(`Home has room for ${pinsMax} charts. Remove one first.`);
    const query = wasPinned ? unpin(view) : pin(view, Date.now());
    change.mutate(
      { id: view.id, query },
      {
        onSuccess: () => showToast(wasPinned ? 'Chart removed from Home' : 'Chart pinned to Home'),
        onError: ({ message }) => showToast(message),
      },
    );
  };
}

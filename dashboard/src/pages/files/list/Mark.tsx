/** The circle that selects a file. For pointers only: on the keyboard, the list has keys for this. */
import type { MouseEvent } from 'react';
import { Icon } from '../../../ui/Icon.tsx';

export function Mark({ isChosen, onPress }: { isChosen: boolean; onPress: (event: MouseEvent) => void }) {
  return (
    <span
      aria-hidden="true"
      title="Select"
      onClick={onPress}
      className={`absolute top-1.5 left-1.5 grid size-6 place-items-center rounded-full border
        ${isChosen ? 'border-accent bg-accent text-panel' : 'border-edge bg-panel/85 text-transparent opacity-0 group-hover:opacity-100 hover:text-muted'}`}
    >
      <Icon name="check" />
    </span>
  );
}

/**
 * A form value that follows the saved one until the user edits it. Otherwise a change from another tab or user would look like the user's own edit,
 * and saving would undo it.
 */
import { useState } from 'react';

type Edited<T> = {
  value: T;
  onEdit: (value: T) => void;
  /** Returns to the saved value. */
  onReset: () => void;
  /** True if another value was saved since the user began; saving replaces it. */
  isOutdated: boolean;
};

export function useEdited<T extends NonNullable<unknown>>(saved: T): Edited<T> {
  const [edited, setEdited] = useState<{ value: T; begunText: string } | null>(null);
  const savedText = JSON.stringify(saved);
  return {
    value: edited === null ? saved : edited.value,
    onEdit: value => setEdited({ value, begunText: edited?.begunText ?? savedText }),
    onReset: () => setEdited(null),
    isOutdated: edited !== null && edited.begunText !== savedText,
  };
}

/**
 * A value in a form that follows what is saved until the user changes it. So a change made in another tab, or by somebody else, does
 * not look like one of their own, which saving would undo.
 */
import { useState } from 'react';

type Edited<T> = {
  value: T;
  onEdit: (value: T) => void;
  /** Back to what is saved. */
  onReset: () => void;
  /** Something else was saved since the user began: saving replaces it. */
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

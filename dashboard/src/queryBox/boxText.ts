/** The box's text and caret. Users can undo inserted text like typed text. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Place } from './options.ts';

export type BoxText = Place & {
  input: RefObject<HTMLInputElement | null>;
  /** Reads the field's current text. */
  syncPlace: () => void;
  /** Inserts text as if it were typed over the range. */
  insert: (from: number, to: number, inserted: string) => void;
  /** Shows this text and treats it as the searched one. */
  replace: (text: string) => void;
  /** Shows the searched text again. */
  reset: () => void;
};

/** Shows searches from elsewhere, but never overwrites typed text with its own search. */
export function useBoxText(query: string): BoxText {
  const [place, setPlace] = useState<Place>({ text: query, caret: query.length });
  const settled = useRef(query);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (query === settled.current) return;
    settled.current = query;
    setPlace({ text: query, caret: query.length });
  }, [query]);
  const syncPlace = () => {
    const { value, selectionEnd } = input.current ?? { value: '', selectionEnd: 0 };
    setPlace({ text: value, caret: selectionEnd ?? value.length });
  };
  return {
    ...place,
    input,
    syncPlace,
    insert: (from, to, inserted) => {
      const field = input.current;
      if (field === null) return;
      field.focus();
      field.setSelectionRange(from, to);
      // Only this keeps the field's undo history; browsers without it lose that.
      const isDone = document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
      if (!isDone) field.setRangeText(inserted, from, to, 'end');
      syncPlace();
    },
    replace: text => {
      settled.current = text.trim();
      setPlace(before => (before.text.trim() === text.trim() ? before : { text, caret: text.length }));
    },
    reset: () => setPlace({ text: settled.current, caret: settled.current.length }),
  };
}

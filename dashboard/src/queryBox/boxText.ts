/** The text in the box while it is typed, and where the caret is. Edits by program can be undone like letters. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Place } from './options.ts';

export type BoxText = Place & {
  input: RefObject<HTMLInputElement | null>;
  /** Notes the current text of the field. */
  note: () => void;
  /** Inserts text as if it were typed over the range. */
  insert: (from: number, to: number, inserted: string) => void;
  /** Shows this text, and takes it for the one that is searched for. */
  settle: (text: string) => void;
  /** Shows what is searched for again. */
  reset: () => void;
};

/** A search from elsewhere shows; what is typed is never taken back by the search that it became. */
export function useBoxText(query: string): BoxText {
  const [place, setPlace] = useState<Place>({ text: query, caret: query.length });
  const settled = useRef(query);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (query === settled.current) return;
    settled.current = query;
    setPlace({ text: query, caret: query.length });
  }, [query]);
  const note = () => {
    const { value, selectionEnd } = input.current ?? { value: '', selectionEnd: 0 };
    setPlace({ text: value, caret: selectionEnd ?? value.length });
  };
  return {
    ...place,
    input,
    note,
    insert: (from, to, inserted) => {
      const field = input.current;
      if (field === null) return;
      field.focus();
      field.setSelectionRange(from, to);
      // The one way that keeps the field's own steps back; a browser without it loses them.
      const isDone = document.execCommand(inserted === '' ? 'delete' : 'insertText', false, inserted);
      if (!isDone) field.setRangeText(inserted, from, to, 'end');
      note();
    },
    settle: text => {
      settled.current = text.trim();
      setPlace(before => (before.text.trim() === text.trim() ? before : { text, caret: text.length }));
    },
    reset: () => setPlace({ text: settled.current, caret: settled.current.length }),
  };
}

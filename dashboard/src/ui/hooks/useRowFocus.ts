/** Keeps the keyboard focus in a table when the row that has it disappears, for example because a dialog deleted it. */
import { type FocusEventHandler, type RefObject, useEffect, useRef } from 'react';

type RowFocus = { ref: RefObject<HTMLTableElement | null>; onFocus: FocusEventHandler };

/** Where the focus was: the position of the row among the rows, and of the element among those of the row that can have the focus. */
type Place = { element: Element; row: number; control: number };

const focusable = 'a[href], button:not(:disabled)';

/** Gives the focus to the same button of the next row, or of the last one. After the last row, to the page. */
export function useRowFocus(): RowFocus {
  const ref = useRef<HTMLTableElement>(null);
  const last = useRef<Place>(null);
  useEffect(() => {
    const place = last.current;
    if (place === null || place.element.isConnected) return;
    last.current = null;
    onceFocusIsLost(() => focusRow(ref.current, place));
  });
  // Runs when the table itself has gone.
  useEffect(
    () => () => {
      if (last.current?.element.isConnected === false)
        onceFocusIsLost(() => document.getElementById('page')?.focus({ preventScroll: true }));
    },
    [],
  );
  const onFocus: FocusEventHandler<HTMLTableElement> = ({ target, currentTarget }) => {
    const row = target.closest('tbody > tr');
    last.current = row && {
      element: target,
      row: [...currentTarget.querySelectorAll('tbody > tr')].indexOf(row),
      control: [...row.querySelectorAll(focusable)].indexOf(target),
    };
  };
  return { ref, onFocus };
}

function focusRow(table: HTMLTableElement | null, { row, control }: Place): void {
  const rows = [...(table?.querySelectorAll('tbody > tr') ?? [])];
  const next = rows[row] ?? rows.at(-1);
  const controls = [...(next?.querySelectorAll<HTMLElement>(focusable) ?? [])];
  const chosen = controls[control] ?? controls.at(-1);
  chosen?.focus({ preventScroll: true });
}

const waitMsMax = 1_000; // a closing dialog has the focus for a fraction of a second

/** Calls back as soon as nothing has the focus. */
function onceFocusIsLost(callBack: () => void): void {
  const until = performance.now() + waitMsMax;
  const look = () => {
    if (document.activeElement === document.body) callBack();
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  look();
}

/** Keyboard control of the query box and its suggestions. */
import type { KeyboardEvent } from 'react';
import type { Option } from './options.ts';
import type { QueryBoxState } from './queryBox.ts';

export function handleKey(event: KeyboardEvent<HTMLInputElement>, box: QueryBoxState): void {
  // While the user composes characters (IME), the keys belong to that.
  if (event.nativeEvent.isComposing) return;
  const action = findAction(event, box);
  if (action === null) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function findAction(event: KeyboardEvent, box: QueryBoxState): (() => void) | null {
  const { key, shiftKey } = event;
  const { list } = box;
  const { active, isOpen } = list;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (key === ' ' && event.ctrlKey) return () => list.show(null);
  if (!isPlain) return null;
  if (key === 'ArrowDown' || key === 'ArrowUp') return () => walk(key === 'ArrowDown' ? 1 : -1, box);
  if (!isOpen) return null;
  if (key === 'Escape') return list.close;
  if (key === 'Enter' && active) return () => box.choose(active);
  if (key === 'Tab' && !shiftKey) {
    const inserted = findTabbed(box);
    return inserted && (() => box.choose(inserted));
  }
  if (key === 'Delete' && shiftKey && active?.key === `search ${active?.label}`)
    return () => box.recent.forget(active.label);
  return null;
}

/** Past either end no option is active, so the typed text stays. */
function walk(step: 1 | -1, { list, text }: QueryBoxState): void {
  const { options, active, isOpen } = list;
  if (!isOpen) {
    const isBack = step < 0 && text !== '';
    list.show(isBack ? options.at(-1) : options[0]);
    return;
  }
  const index = active === null ? -1 : options.indexOf(active);
  const places = options.length + 1;
  list.show(options[((index + 1 + step + places) % places) - 1]);
}

/** Returns the option that Tab inserts; null if Tab leaves the box. */
export function findTabbed(box: QueryBoxState): Option | null {
  return box.list.active ?? findContinuation(box);
}

/** Returns the option that continues the letters before the caret. */
function findContinuation({ list, text, caret }: QueryBoxState): Option | null {
  const first = list.options.find(({ key }) => !key.startsWith('search '));
  if (!first?.edit) return null;
  const written = text.slice(first.edit.from, caret).toLowerCase();
  // Also compares the label, because a value gets its quotes only when inserted.
  const begins = [first.edit.insert, first.label].some(whole => whole.toLowerCase().startsWith(written));
  return written !== '' && begins ? first : null;
}

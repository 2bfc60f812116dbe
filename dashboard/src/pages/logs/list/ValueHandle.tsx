/** A small button beside the hovered value that opens its menu. The list has a key for it. */
import { type RefObject, useEffect, useState } from 'react';
import { Icon } from '../../../ui/Icon.tsx';

const sizePixels = 20;

type ValueHandleProps = {
  /** The element that scrolls the values; this button is beside it. */
  scroller: RefObject<HTMLElement | null>;
  onOpen: (value: HTMLElement) => void;
};

export function ValueHandle({ scroller, onOpen }: ValueHandleProps) {
  const [value, setValue] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const around = scroller.current?.parentElement;
    if (!around) return;
    const follow = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'touch' || !(target instanceof Element) || target.closest('[data-handle]')) return;
      setValue(target.closest<HTMLElement>('[data-field]'));
    };
    const leave = () => setValue(null);
    around.addEventListener('pointerover', follow);
    around.addEventListener('pointerleave', leave);
    around.addEventListener('scroll', leave, { capture: true, passive: true });
    return () => {
      around.removeEventListener('pointerover', follow);
      around.removeEventListener('pointerleave', leave);
      around.removeEventListener('scroll', leave, { capture: true });
    };
  }, [scroller]);
  const around = scroller.current?.parentElement;
  if (!value?.isConnected || !around) return null;
  const [place, outer] = [value.getBoundingClientRect(), around.getBoundingClientRect()];
  const left = Math.min(place.right, outer.right - sizePixels - 16) - outer.left;
  const top = place.top + place.height / 2 - sizePixels / 2 - outer.top;
  return (
    <span
      aria-hidden="true"
      data-handle=""
      title="Actions for this value"
      onClick={() => onOpen(value)}
      style={{ left, top, width: sizePixels, height: sizePixels }}
      className="absolute grid cursor-pointer place-items-center rounded-md border border-edge bg-panel text-muted shadow-panel hover:text-ink"
    >
      <Icon name="down" className="size-3" />
    </span>
  );
}

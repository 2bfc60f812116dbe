/** The panel edge that users drag, or move with arrow keys, to resize an entry's panel. */
import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react';
import { usePreference } from '../preferences.ts';

const widthPixels = { usual: 440, min: 340, max: 1200, step: 40 };
const restOfPage = '46rem'; // room for the navigation and a readable list

type PanelWidth = { pixels: number; style: CSSProperties; onChange: (pixels: number) => void };

export function usePanelWidth(): PanelWidth {
  const [kept, keep] = usePreference('panelPixels');
  const pixels = clamp(Number(kept) || widthPixels.usual);
  const width = `max(${widthPixels.min}px, min(${pixels}px, 100vw - ${restOfPage}))`;
  return {
    pixels,
    // React's types do not know CSS variables.
    style: { '--panel-width': width } as CSSProperties,
    onChange: next => keep(String(clamp(next))),
  };
}

function clamp(pixels: number): number {
  return Math.round(Math.min(Math.max(pixels, widthPixels.min), widthPixels.max));
}

export function PanelEdge({ pixels, onChange }: PanelWidth) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const right = event.currentTarget.parentElement?.getBoundingClientRect().right ?? 0;
    onChange(right - event.clientX);
  };
  const step = (event: KeyboardEvent) => {
    const wider = { ArrowLeft: widthPixels.step, ArrowRight: -widthPixels.step }[event.key];
    if (wider === undefined) return;
    event.preventDefault();
    onChange(pixels + wider);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the entry"
      aria-valuenow={pixels}
      aria-valuemin={widthPixels.min}
      aria-valuemax={widthPixels.max}
      tabIndex={0}
      onKeyDown={step}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      className="absolute inset-y-3 -left-2.5 w-4 cursor-col-resize touch-none rounded-full after:absolute after:inset-y-[calc(50%-1.25rem)]
        after:left-1.5 after:w-1 after:rounded-full after:bg-edge hover:after:bg-accent"
    />
  );
}

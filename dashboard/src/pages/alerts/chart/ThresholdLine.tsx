/** The threshold as a line over the chart, movable by mouse, touch and keyboard. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { formatCount } from '../../../format/numbers.ts';
import { roundThreshold, stepOf } from './columns.ts';

type ThresholdLineProps = {
  value: number;
  /** The count at the chart's upper edge. */
  top: number;
  /** The value in words. */
  words: string;
  onChange: (value: number) => void;
  onHold: (isHeld: boolean) => void;
};

export function ThresholdLine({ value, top, words, onChange, onHold }: ThresholdLineProps) {
  const line = useRef<HTMLDivElement>(null);
  const drag = useDrag({ line, top, onChange, onHold });
  const handleKey = (event: KeyboardEvent) => {
    const next = findNext(event.key, value, top);
    if (next === null) return;
    event.preventDefault();
    onChange(Math.max(1, next));
  };
  return (
    <div ref={line} className="pointer-events-none absolute inset-0">
      <div
        role="slider"
        aria-label="Threshold"
        aria-orientation="vertical"
        aria-valuemin={1}
        aria-valuemax={Math.max(Math.ceil(top), value)}
        aria-valuenow={value}
        aria-valuetext={words}
        tabIndex={0}
        {...drag}
        onKeyDown={handleKey}
        style={{ bottom: `${Math.min(value / top, 1) * 100}%` }}
        className="group pointer-events-auto absolute inset-x-0 h-8 translate-y-1/2 cursor-ns-resize touch-none rounded-sm select-none"
      >
        <span className="absolute inset-x-0 top-1/2 border-t-2 border-dashed border-accent" />
        <span
          className="absolute top-1/2 right-0 min-w-9 -translate-y-1/2 rounded-md border border-accent bg-panel px-1.5 text-center font-mono text-[0.78rem]
            leading-6 tabular-nums shadow-panel"
        >
          <span aria-hidden="true" className="text-muted">
            ↕{' '}
          </span>
          {formatCount(value)}
        </span>
      </div>
    </div>
  );
}

/** The same line where users cannot move it. */
export function FixedLine({ value, top }: Pick<ThresholdLineProps, 'value' | 'top'>) {
  return (
    <span
      aria-hidden="true"
      style={{ bottom: `${Math.min(value / top, 1) * 100}%` }}
      className="absolute inset-x-0 border-t-2 border-dashed border-accent"
    />
  );
}

function findNext(key: string, value: number, top: number): number | null {
  const [up, down] = [stepOf(value), stepOf(value - 1)];
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: value + up,
    ArrowRight: value + up,
    ArrowDown: value - down,
    ArrowLeft: value - down,
    PageUp: value + 10 * up,
    PageDown: value - 10 * down,
    Home: 1,
    End: Math.ceil(top),
  };
  return steps[key] ?? null;
}

type DragProps = Pick<ThresholdLineProps, 'top' | 'onChange' | 'onHold'> & {
  line: { readonly current: HTMLElement | null };
};

function useDrag({ line, top, onChange, onHold }: DragProps) {
  const isHeld = useRef(false);
  const move = (event: PointerEvent) => {
    const box = line.current?.getBoundingClientRect();
    if (!isHeld.current || box === undefined) return;
    const share = Math.min(Math.max((box.bottom - event.clientY) / box.height, 0), 1);
    onChange(roundThreshold(share * top));
  };
  const leave = () => {
    isHeld.current = false;
    onHold(false);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      isHeld.current = true;
      onHold(true);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: move,
    onPointerUp: leave,
    onPointerCancel: leave,
  };
}

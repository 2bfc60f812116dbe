/** Selects a time range in a chart by touch or arrow keys. uPlot itself handles the mouse. */

import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useRef,
  useState,
} from 'react';
import type uPlot from 'uplot';
import { hourCycle, locale } from '../../format/locale.ts';
import { intervalOf } from './chartAxes.ts';

/** Props of a chart with a selectable range. */
export type Zoomable = {
  /** Start times of the bars in Unix seconds, equally spaced. */
  times: readonly number[];
  /** In Unix milliseconds. */
  onZoom?: (fromMs: number, toMs: number) => void;
};

type ChartZoomProps = {
  drawn: RefObject<uPlot | null>;
  latest: { readonly current: Zoomable };
  children: ReactNode;
};

/** Indexes of bars: where the selection began and where it is now. */
type Picked = { from: number; at: number };

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };

export function ChartZoom({ drawn, latest, children }: ChartZoomProps) {
  const [picked, setPicked] = useState<Picked | null>(null);
  const { times } = latest.current;
  const pick = (next: Picked) => {
    setPicked(next);
    if (drawn.current) showPicked(drawn.current, next, times);
  };
  const handleKey = (event: KeyboardEvent) => {
    const last = times.length - 1;
    const step = steps[event.key];
    if (step !== undefined && last >= 0) {
      event.preventDefault();
      const at = Math.min(Math.max(picked === null ? last : picked.at + step, 0), last);
      pick({ from: event.shiftKey ? (picked?.from ?? at) : at, at });
    } else if (event.key === 'Enter' && picked !== null) {
      const [first, final] = [Math.min(picked.from, picked.at), Math.max(picked.from, picked.at)];
      latest.current.onZoom?.(
        (times[first] ?? 0) * 1000,
        ((times[final] ?? 0) + intervalOf(times)) * 1000 - 1,
      );
      leave();
    }
  };
  const leave = () => {
    setPicked(null);
    drawn.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    drawn.current?.setCursor({ left: -10, top: -10 });
  };
  return (
    <div className="relative touch-pan-y" {...useFinger(drawn, latest)}>
      {children}
      <div
        role="slider"
        aria-label="Time: use the arrow keys to move, Shift to select a range, Enter to search it"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={picked?.at ?? Math.max(0, times.length - 1)}
        aria-valuetext={picked === null ? 'nothing chosen' : describePicked(picked, times)}
        tabIndex={0}
        onKeyDown={handleKey}
        onBlur={() => picked !== null && leave()}
        className="pointer-events-none absolute inset-0 rounded-sm"
      />
    </div>
  );
}

function useFinger(drawn: ChartZoomProps['drawn'], latest: ChartZoomProps['latest']) {
  const began = useRef<number | null>(null);
  const placeOf = (event: PointerEvent) => {
    const box = drawn.current?.over.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(Math.max(event.clientX - box.left, 0), box.width);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.pointerType === 'mouse') return;
      began.current = placeOf(event);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      if (began.current === null || drawn.current === null) return;
      const at = placeOf(event);
      select(drawn.current, Math.min(began.current, at), Math.abs(at - began.current));
    },
    onPointerUp: () => {
      if (began.current !== null && drawn.current) chooseSelected(drawn.current, latest.current);
      began.current = null;
    },
    // The touch scrolls the page instead.
    onPointerCancel: () => {
      began.current = null;
      drawn.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    },
  };
}

export function chooseSelected(drawing: uPlot, { onZoom }: Pick<Zoomable, 'onZoom'>): void {
  const { left, width } = drawing.select;
  if (width < 2) return;
  const [from, to] = [left, left + width].map(at => Math.round(drawing.posToVal(at, 'x') * 1000));
  drawing.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (from !== undefined && to !== undefined) onZoom?.(from, to);
}

function showPicked(drawing: uPlot, { from, at }: Picked, times: readonly number[]): void {
  const left = drawing.valToPos(times[Math.min(from, at)] ?? 0, 'x');
  const right = drawing.valToPos((times[Math.max(from, at)] ?? 0) + intervalOf(times), 'x');
  select(drawing, left, right - left);
  drawing.setCursor({ left: drawing.valToPos((times[at] ?? 0) + intervalOf(times) / 2, 'x'), top: 1 });
}

function select(drawing: uPlot, left: number, width: number): void {
  drawing.setSelect({ left, width, top: 0, height: drawing.over.clientHeight }, false);
}

const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle });

function describePicked({ from, at }: Picked, times: readonly number[]): string {
  const [start, end] = [Math.min(from, at), Math.max(from, at)].map(each => (times[each] ?? 0) * 1000);
  return `${moment.format(start)} to ${moment.format((end ?? 0) + intervalOf(times) * 1000)}`;
}

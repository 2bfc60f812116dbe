/** Draws stacked bars or lines over time with uPlot, in the page's colours. Users drag to select a time range. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { optionsOf, type Zone } from '../../format/times.ts';
import { useTheme } from '../../theme.ts';
import { ChartZoom, chooseSelected, type Zoomable } from './ChartZoom.tsx';
import { composeAxes, intervalOf, rightPixelsOf } from './chartAxes.ts';

type ChartSeries = {
  name: string;
  /** A CSS variable, such as `--accent`. */
  variable: string;
  /** null breaks a line. */
  values: readonly (number | null)[];
};

type ChartProps = Zoomable & {
  /** Text for screen readers. */
  label: string;
  /** The first is on top. */
  series: readonly ChartSeries[];
  heightPixels: number;
  /** `index`: the item under the pointer; -1 if none. `leftPixels`: the pointer's position. */
  onPoint?: (index: number, leftPixels: number) => void;
  formatValue: (value: number) => string;
  /** For values that do not add up. */
  isLines?: boolean;
  /** Days are UTC days. */
  isDaily?: boolean;
  /** The axis's time zone. */
  zone?: Zone;
};

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [widthPixels, setWidthPixels] = useState(0);
  const looks = useLooks();
  useEffect(() => {
    if (place.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidthPixels(Math.floor(entry.contentRect.width));
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { times, series, label, heightPixels, onZoom, zone, isLines = false } = props;
  const drawn = useRef<uPlot | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme needs a redraw
  useEffect(() => {
    if (place.current === null || widthPixels === 0 || times.length === 0) return;
    const drawing = new uPlot(
      composeOptions(latest, { place: place.current, widthPixels }),
      isLines ? lay(times, series) : stack(times, series),
      place.current,
    );
    drawn.current = drawing;
    return () => {
      drawn.current = null;
      drawing.destroy();
    };
  }, [times, series, widthPixels, heightPixels, looks, zone]);
  const picture = (
    <div
      ref={place}
      role="img"
      aria-label={label}
      style={{ height: heightPixels }}
      className="w-full overflow-hidden [&_.u-select]:bg-accent/20!"
    />
  );
  return onZoom ? (
    <ChartZoom drawn={drawn} latest={latest}>
      {picture}
    </ChartZoom>
  ) : (
    picture
  );
}

/** Returns a key that changes with the page's look. */
function useLooks(): string {
  const theme = useTheme();
  const isDark = useSyncExternalStore(listenToSystem, () => systemDark.matches);
  return `${theme} ${isDark}`;
}

const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

function listenToSystem(onChange: () => void): () => void {
  systemDark.addEventListener('change', onChange);
  return () => systemDark.removeEventListener('change', onChange);
}

/** Draws each series as the sum of itself and all below it, largest first. */
function stack(times: readonly number[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const sums = series.map((_, index) =>
    times.map((_time, at) => series.slice(index).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
  return [[...times], ...sums];
}

/** A value describes a whole bucket, so its point goes in the middle. */
function lay(times: readonly number[], series: readonly ChartSeries[]): uPlot.AlignedData {
  const half = intervalOf(times) / 2;
  return [times.map(time => time + half), ...series.map(({ values }) => [...values])];
}

type Place = { place: HTMLElement; widthPixels: number };

function composeOptions(
  latest: { readonly current: ChartProps },
  { place, widthPixels }: Place,
): uPlot.Options {
  const { times, series, heightPixels, formatValue, isDaily = false, isLines = false } = latest.current;
  const { zone = 'local' } = latest.current;
  const { timeZone } = optionsOf(isDaily ? 'utc' : zone);
  const intervalSeconds = intervalOf(times);
  const colours = readColours(place, ['--muted', '--line', ...series.map(({ variable }) => variable)]);
  const [muted = '', line = '', ...paints] = colours;
  return {
    width: widthPixels,
    height: heightPixels,
    padding: [6, isDaily ? 26 : rightPixelsOf(times), 0, 2],
    legend: { show: false },
    ...(timeZone !== undefined && {
      tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), timeZone),
    }),
    scales: {
      x: { range: () => [times[0] ?? 0, (times.at(-1) ?? 0) + intervalSeconds] },
      y: { range: (_, min, max) => (isLines ? spanLines(min, max) : [0, Math.max(max, 1) * 1.06]) },
    },
    axes: composeAxes({ formatValue, isDaily, zone, isWhole: !isLines }, { muted, line }),
    cursor: {
      points: { show: false },
      y: false,
      drag: { x: latest.current.onZoom !== undefined, y: false, setScale: false },
    },
    series: [
      {},
      ...series.map(({ name }, index) => ({
        label: name,
        ...(isLines ? drawLine : drawBars)(paints[index] ?? muted),
      })),
    ],
    hooks: {
      setCursor: [
        drawing => {
          const { left = -10 } = drawing.cursor;
          const index = left < 0 ? -1 : findPointed(drawing, isLines);
          latest.current.onPoint?.(index, drawing.over.offsetLeft + left);
        },
      ],
      setSelect: [drawing => chooseSelected(drawing, latest.current)],
    },
  };
}

/** A bar reaches to the next one's time; for a line, the nearest point counts. */
function findPointed({ cursor, data: [times], posToVal }: uPlot, isLines: boolean): number {
  if (isLines) return cursor.idx ?? -1;
  const at = posToVal(cursor.left ?? 0, 'x');
  return times.findLastIndex(time => time <= at);
}

function drawBars(fill: string): uPlot.Series {
  const bars = uPlot.paths.bars?.({ size: [0.86, 64], align: 1 });
  return { fill, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
}

/** Draws points too, because a value between gaps has no line. */
function drawLine(stroke: string): uPlot.Series {
  return { stroke, width: 1.5, points: { show: true, size: 4, fill: stroke } };
}

/** Includes zero, so that differences look as large as they are. */
function spanLines(min: number | null, max: number | null): [number, number] {
  const [low, high] = [Math.min(min ?? 0, 0), Math.max(max ?? 0, 0)];
  const margin = (high - low || 1) * 0.06;
  return [low < 0 ? low - margin : 0, high > 0 || low === 0 ? high + margin : 0];
}

/**
 * Reads colours as the browser computes them, because a variable may depend on the theme. Uses a new probe for each, because CSS transitions would
 * blend them.
 */
function readColours(place: HTMLElement, variables: readonly string[]): string[] {
  return variables.map(variable => {
    const probe = document.createElement('span');
    probe.style.color = `var(${variable})`;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
}

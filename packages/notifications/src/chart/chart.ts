/** Draws the counts of the last windows, and the threshold that they crossed, as SVG. */
import type { EventRule, NotificationEvent, RuleEvent } from '../events.ts';
import { boundCount, labelCount, labelTime, listLines } from './axis.ts';
import { drawLabel, measureLabel, round } from './glyphs.ts';

/** Drawn at double size, for high-density screens. */
const size = { width: 800, height: 300, scale: 2 };
const margin = { top: 26, right: 24, bottom: 40, left: 22 };

/** Sets a background, which is readable on light and dark pages. */
const colours = {
  ground: '#161a22',
  edge: '#2b3240',
  line: '#2a303c',
  label: '#a3adbd',
  bar: '#5a7bb5',
  firing: '#f2555a',
  resolved: '#3fb984',
  threshold: '#ffc247',
};

const barsMax = 120;

type Chart = {
  bars: readonly { count: number; colour: string }[];
  endAt: number;
  windowMs: number;
  threshold: number | null;
};

type Field = { left: number; right: number; top: number; bottom: number; largest: number };

/** Returns null if the event has no data to draw. */
export function drawChart(event: NotificationEvent): string | null {
  if (event.type !== 'rule.fired' && event.type !== 'rule.resolved') return null;
  const chart = planChart(event);
  return chart === null ? null : composeSvg(chart);
}

function planChart({ type, rule, windows }: RuleEvent): Chart | null {
  if (windows === null || windows.counts.length === 0) return null;
  const counts = windows.counts.slice(-barsMax).map(boundCount);
  const threshold = findThreshold(rule, counts);
  const { kind, condition } = rule;
  const fulfils = (count: number) =>
    kind === 'count' && threshold !== null && (condition.op === '<' ? count < threshold : count >= threshold);
  const lastColour = type === 'rule.fired' ? colours.firing : colours.resolved;
  const bars = counts.map((count, index) => {
    if (index === counts.length - 1) return { count, colour: lastColour };
    return { count, colour: fulfils(count) ? colours.firing : colours.bar };
  });
  return { bars, endAt: bound(windows.endAt), windowMs: Math.max(bound(windows.windowMs), 1), threshold };
}

/** Limits a time to four-digit years. */
function bound(ms: number): number {
  return ms > 0 ? Math.min(ms, 253_402_300_799_999) : 0;
}

/** For `change`, computes the threshold of the last window from the one before. */
function findThreshold({ kind, condition }: EventRule, counts: readonly number[]): number | null {
  const value = boundCount(condition.value ?? 0);
  if (kind === 'count') return value;
  if (kind !== 'change') return null;
  return boundCount(Math.max(value, (condition.factor ?? 0) * (counts.at(-2) ?? 0)));
}

function composeSvg(chart: Chart): string {
  const { width, height, scale } = size;
  const lines = listLines(Math.max(...chart.bars.map(({ count }) => count), chart.threshold ?? 0));
  const labelled = [...lines, ...(chart.threshold === null ? [] : [chart.threshold])];
  const labelWidth = Math.max(...labelled.map(count => measureLabel(labelCount(count), 11)));
  const field = {
    left: margin.left + labelWidth + 12,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
    largest: lines.at(-1)!,
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * scale}" height="${height * scale}" viewBox="0 0 ${width} ${height}">`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="12" fill="${colours.ground}" stroke="${colours.edge}"/>`,
    ...lines.map(line => drawLine(line, field, chart.threshold)),
    ...drawBars(chart, field),
    ...drawTimes(chart, field),
    ...(chart.threshold === null ? [] : drawThreshold(chart.threshold, field)),
    '</svg>',
  ].join('\n');
}

/** Draws a grid line, without its label if the threshold's is in the way. */
function drawLine(line: number, field: Field, threshold: number | null): string {
  const y = findY(line, field);
  const isHidden = threshold !== null && Math.abs(findY(threshold, field) - y) < 21;
  const label = drawLabel(isHidden ? '' : labelCount(line), {
    x: field.left - 12,
    y,
    anchor: 'end',
    height: 11,
    colour: colours.label,
  });
  return `<path d="M${round(field.left)} ${y}H${field.right}" stroke="${colours.line}" fill="none"/>${label}`;
}

function findY(count: number, { top, bottom, largest }: Field): number {
  return round(bottom - (count / largest) * (bottom - top));
}

/** Draws a low bar for an empty window, to show that it was counted. */
function drawBars({ bars }: Chart, field: Field): string[] {
  const step = (field.right - field.left) / bars.length;
  const width = Math.min(Math.max(step * 0.72, 1), 64);
  return bars.map(({ count, colour }, index) => {
    const height = Math.max(field.bottom - findY(count, field), 2);
    const x = field.left + (index + 0.5) * step - width / 2;
    const radius = round(Math.min(4, width / 2, height / 2));
    const [start, across] = [
      `M${round(x)} ${field.bottom}v${round(radius - height)}`,
      round(width - 2 * radius),
    ];
    const outline = `${start}q0 ${-radius} ${radius} ${-radius}h${across}q${radius} 0 ${radius} ${radius}V${field.bottom}Z`;
    return `<path d="${outline}" fill="${colour}"/>`;
  });
}

/** Labels the end of each window below its bar: always the last one, and as many earlier ones as fit. */
function drawTimes({ bars, endAt, windowMs }: Chart, field: Field): string[] {
  const step = (field.right - field.left) / bars.length;
  const spanMs = bars.length * windowMs;
  const nameEnd = (index: number) =>
    labelTime(bound(endAt - (bars.length - 1 - index) * windowMs), windowMs, spanMs);
  const last = bars.length - 1;
  const stride = Math.ceil((measureLabel(nameEnd(last), 11) + 28) / step);
  const y = field.bottom + 21;
  const labels: string[] = [];
  for (let index = last; index >= 0; index -= stride) {
    const text = nameEnd(index);
    const half = measureLabel(text, 11) / 2;
    const x = Math.min(field.left + (index + 0.5) * step, field.right + 8 - half);
    if (x - half < 46) break; // the time zone's label is there
    labels.push(drawLabel(text, { x, y, anchor: 'middle', height: 11, colour: colours.label }));
  }
  return [...labels, drawLabel('UTC', { x: 18, y, anchor: 'start', height: 8, colour: colours.label })];
}

function drawThreshold(threshold: number, field: Field): string[] {
  const y = findY(threshold, field);
  const text = labelCount(threshold);
  const width = measureLabel(text, 11) + 14;
  const x = field.left - 12 - width + 7;
  return [
    `<path d="M${round(field.left)} ${y}H${field.right}" stroke="${colours.threshold}" stroke-width="2" stroke-dasharray="8 6" fill="none"/>`,
    `<rect x="${round(x)}" y="${y - 11}" width="${round(width)}" height="22" rx="5" fill="${colours.threshold}"/>`,
    drawLabel(text, { x: x + width / 2, y, anchor: 'middle', height: 11, colour: colours.ground, weight: 2 }),
  ];
}

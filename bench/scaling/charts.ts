/** Draws the outages as charts of waiting and refused entries, second by second. Readable on light and dark pages. */

import { formatCount } from './formatting.ts';
import type { Second } from './model.ts';
import type { Story } from './outages.ts';

const panel = { width: 300, height: 110, gap: 24, head: 30, foot: 22 };
const columns = 2;
const outage = { fromMs: 60_000, toMs: 120_000 };

const style = `
  text { font: 12px system-ui, sans-serif; fill: #424a53 }
  .name { font-weight: 600; fill: #1f2328 }
  .outage { fill: #bf8700; opacity: .14 }
  .waiting { fill: #0969da; opacity: .75 }
  .refused { fill: #cf222e; opacity: .8 }
  .axis { stroke: #8c959f; stroke-width: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .name { fill: #f0f6fc }
    .waiting { fill: #4493f8 } .refused { fill: #f85149 } .outage { fill: #d29922 }
  }`;

export function drawStories(stories: readonly Story[], title: string): string {
  const rows = Math.ceil(stories.length / columns);
  const width = columns * (panel.width + panel.gap) + panel.gap;
  const height = rows * (panel.head + panel.height + panel.foot) + panel.gap;
  const panels = stories.map((story, index) => {
    const x = panel.gap + (index % columns) * (panel.width + panel.gap);
    const y = Math.floor(index / columns) * (panel.head + panel.height + panel.foot) + panel.gap / 2;
    return `<g transform="translate(${x} ${y})">${drawPanel(story)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title><style>${style}</style>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ scenario, outcome, waitingMax, entriesPerSecond }: Story): string {
  const { seconds } = outcome;
  const last = seconds.at(-1)?.at ?? 1;
  const top = Math.max(waitingMax, entriesPerSecond * 3);
  const placeX = (at: number) => ((at / last) * panel.width).toFixed(1);
  const drawArea = (name: string, read: (second: Second) => number) => {
    const points = seconds.map(
      second => `${placeX(second.at)},${(panel.height * (1 - Math.min(1, read(second)))).toFixed(1)}`,
    );
    return `<polygon class="${name}" points="0,${panel.height} ${points.join(' ')} ${panel.width},${panel.height}"/>`;
  };
  const from = placeX(outage.fromMs);
  const hasOutage = scenario !== 'nothing';
  const to = scenario.endsWith('for good') ? panel.width : Number(placeX(outage.toMs));
  const outageWidth = (to - Number(from)).toFixed(1);
  return [
    `<text class="name" y="12">Away: ${scenario}</text>`,
    `<text y="26">at most ${formatCount(waitingMax)} entries wait</text>`,
    `<g transform="translate(0 ${panel.head})">`,
    hasOutage ? `<rect class="outage" x="${from}" width="${outageWidth}" height="${panel.height}"/>` : '',
    drawArea('waiting', ({ waiting }) => waiting / top),
    drawArea('refused', ({ refused }) => refused / entriesPerSecond / 1.5),
    `<line class="axis" x2="${panel.width}" y1="${panel.height}" y2="${panel.height}"/>`,
    `<text y="${panel.height + 14}">0 s</text>`,
    `<text x="${panel.width}" y="${panel.height + 14}" text-anchor="end">${Math.round(last / 1_000)} s</text>`,
    '</g>',
  ].join('');
}

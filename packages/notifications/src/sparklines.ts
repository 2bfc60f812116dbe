/** Draws counts as a line of text, for formats without pictures. */

const steps = '▁▂▃▄▅▆▇█';
const barsMax = 40;

export function drawSparkline(counts: readonly number[]): string {
  const shown = counts.slice(-barsMax).map(count => (count > 0 ? Math.min(count, Number.MAX_VALUE) : 0));
  const largest = Math.max(...shown, 1);
  return shown.map(count => steps[Math.round((count / largest) * (steps.length - 1))]).join('');
}

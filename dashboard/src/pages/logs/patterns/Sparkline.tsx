/** Charts a count over time in one row. For screen readers, the numbers beside it say the same. */

const heightPixels = 22;
const barPixels = 3;

type SparklineProps = {
  counts: readonly number[];
  /** A CSS variable, such as `--accent`. */
  variable: string;
};

export function Sparkline({ counts, variable }: SparklineProps) {
  const most = Math.max(1, ...counts);
  const width = counts.length * barPixels;
  return (
    <svg
      viewBox={`0 0 ${width} ${heightPixels}`}
      preserveAspectRatio="none"
      className="h-[22px] w-full"
      aria-hidden="true"
    >
      <path
        d={counts.map((count, index) => drawBar(index, count / most)).join('')}
        style={{ fill: `var(${variable})` }}
      />
      <path d={`M0 ${heightPixels - 0.5}h${width}`} className="stroke-line" strokeWidth={1} />
    </svg>
  );
}

/** Even a single entry stays visible. */
function drawBar(index: number, share: number): string {
  if (share === 0) return '';
  const height = Math.max(1.5, share * (heightPixels - 1));
  return `M${index * barPixels} ${heightPixels - height}h${barPixels - 0.7}v${height}h-${barPixels - 0.7}z`;
}

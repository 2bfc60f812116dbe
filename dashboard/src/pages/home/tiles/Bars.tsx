/** Draws bars over time up to now. A second series fills the foot of the first. */

const heightPixels = 56;
const barPixels = 6;

type BarsProps = {
  /** Text for screen readers. */
  label: string;
  counts: readonly number[];
  variable: string;
  /** A second series, part of `counts`. */
  part?: { counts: readonly number[]; variable: string };
  /** When the first bar starts: `24 hours ago`. */
  since: string;
};

export function Bars({ label, counts, variable, part, since }: BarsProps) {
  const most = Math.max(1, ...counts);
  const width = counts.length * barPixels;
  return (
    <div>
      <svg
        viewBox={`0 0 ${width} ${heightPixels}`}
        preserveAspectRatio="none"
        className="h-14 w-full"
        role="img"
        aria-label={label}
      >
        <path d={draw(counts, most)} style={{ fill: `var(${variable})` }} />
        {part && <path d={draw(part.counts, most)} style={{ fill: `var(${part.variable})` }} />}
        <path d={`M0 ${heightPixels - 0.5}h${width}`} className="stroke-line" strokeWidth={1} />
      </svg>
      <p aria-hidden="true" className="flex justify-between text-[0.74rem] leading-5 text-muted">
        <span>{since}</span>
        <span>now</span>
      </p>
    </div>
  );
}

/** Draws at least one step for anything above zero. */
function draw(counts: readonly number[], most: number): string {
  return counts
    .map((count, index) => {
      if (count === 0) return '';
      const height = Math.max(2, (count / most) * (heightPixels - 2));
      return `M${index * barPixels} ${heightPixels - height}h${barPixels - 1}v${height}h-${barPixels - 1}z`;
    })
    .join('');
}

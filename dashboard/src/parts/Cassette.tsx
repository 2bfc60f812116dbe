/** A cassette drawn large: the face of the pages before the door. Its reels turn while something is under way. */

type CassetteProps = { label: string; turning?: boolean; className?: string };

export function Cassette({ label, turning = false, className = '' }: CassetteProps) {
  return (
    <svg viewBox="0 0 320 200" className={className} role="img" aria-label={`A cassette labelled ${label}`}>
      <rect
        x="1"
        y="1"
        width="318"
        height="198"
        rx="14"
        className="fill-panel stroke-edge"
        strokeWidth="1.5"
      />
      <Screws />
      <rect
        x="24"
        y="20"
        width="272"
        height="126"
        rx="8"
        className="fill-well stroke-line"
        strokeWidth="1.5"
      />
      <rect x="24" y="20" width="272" height="9" className="fill-accent" />
      <text x="38" y="53" className="fill-ink font-mono text-[15px]">
        {label}
      </text>
      <path d="M38 61h244" className="stroke-edge" strokeWidth="1" strokeDasharray="1 3" />
      <rect
        x="70"
        y="76"
        width="180"
        height="56"
        rx="28"
        className="fill-panel stroke-edge"
        strokeWidth="1.5"
      />
      <path d="M134 76h52v56h-52z" className="fill-well stroke-edge" strokeWidth="1.5" />
      <path d="M135 77q16 26 0 54zM185 77q-8 26 0 54z" className="fill-edge" />
      <Reel x={98} turning={turning} />
      <Reel x={222} turning={turning} />
      <path d="M74 199l10-38h152l10 38" className="fill-well stroke-edge" strokeWidth="1.5" />
      {[100, 220].map(x => (
        <circle key={x} cx={x} cy="181" r="6" className="fill-paper stroke-edge" strokeWidth="1.5" />
      ))}
      {[130, 186].map(x => (
        <rect
          key={x}
          x={x}
          y="177"
          width="8"
          height="8"
          className="fill-paper stroke-edge"
          strokeWidth="1.5"
        />
      ))}
    </svg>
  );
}

function Reel({ x, turning }: { x: number; turning: boolean }) {
  const teeth = [0, 60, 120, 180, 240, 300];
  return (
    <g className={`origin-center [transform-box:fill-box] ${turning ? 'animate-reel' : ''}`}>
      <circle cx={x} cy="104" r="17" className="fill-paper stroke-edge" strokeWidth="1.5" />
      {teeth.map(angle => (
        <path
          key={angle}
          d={`M${x} 88v7`}
          transform={`rotate(${angle} ${x} 104)`}
          className="stroke-ink"
          strokeWidth="3.5"
        />
      ))}
    </g>
  );
}

function Screws() {
  const places: readonly [number, number][] = [
    [12, 12],
    [308, 12],
    [12, 188],
    [308, 188],
  ];
  return places.map(([x, y]) => (
    <g key={`${x} ${y}`}>
      <circle cx={x} cy={y} r="4" className="fill-well stroke-edge" />
      <path d={`M${x - 2} ${y - 2}l4 4`} className="stroke-edge" />
    </g>
  ));
}

/** A large cassette, for pages before sign-in. Its reels turn while something is in progress. */
import { useId } from 'react';

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
      <Label text={label} />
      <Window turning={turning} />
      <Foot />
    </svg>
  );
}

function Label({ text }: { text: string }) {
  return (
    <>
      <rect
        x="24"
        y="18"
        width="272"
        height="130"
        rx="8"
        className="fill-well stroke-line"
        strokeWidth="1.5"
      />
      <path d="M24 32v-6a8 8 0 0 1 8-8h256a8 8 0 0 1 8 8v6z" className="fill-accent" />
      <text x="38" y="54" className="fill-ink font-mono text-[15px]">
        {text}
      </text>
      <path d="M38 62h244" className="stroke-edge" strokeDasharray="1 3" />
    </>
  );
}

/** The left reel holds more tape, because this side has just started. */
function Window({ turning }: { turning: boolean }) {
  const clip = useId();
  return (
    <>
      <clipPath id={clip}>
        <rect x="66" y="76" width="188" height="60" rx="30" />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        <rect x="66" y="76" width="188" height="60" className="fill-panel" />
        <circle cx="98" cy="106" r="52" className="fill-edge/55" />
        <circle cx="222" cy="106" r="33" className="fill-edge/55" />
      </g>
      <rect
        x="66"
        y="76"
        width="188"
        height="60"
        rx="30"
        className="fill-none stroke-edge"
        strokeWidth="1.5"
      />
      <Reel x={98} turning={turning} />
      <Reel x={222} turning={turning} />
    </>
  );
}

function Reel({ x, turning }: { x: number; turning: boolean }) {
  const teeth = [0, 60, 120, 180, 240, 300];
  return (
    <g className={`origin-center [transform-box:fill-box] ${turning ? 'animate-reel' : ''}`}>
      <circle cx={x} cy="106" r="18" className="fill-paper stroke-edge" strokeWidth="1.5" />
      {teeth.map(angle => (
        <path
          key={angle}
          d={`M${x} 89v7`}
          transform={`rotate(${angle} ${x} 106)`}
          className="stroke-ink"
          strokeWidth="3.5"
        />
      ))}
    </g>
  );
}

function Foot() {
  return (
    <>
      <path d="M74 199l10-37h152l10 37" className="fill-well stroke-edge" strokeWidth="1.5" />
      {[102, 218].map(x => (
        <circle key={x} cx={x} cy="181" r="6" className="fill-paper stroke-edge" strokeWidth="1.5" />
      ))}
      {[130, 182].map(x => (
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
    </>
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

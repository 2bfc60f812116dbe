/** A QR code. Always dark on light, because some apps cannot read inverted codes. */
import { useMemo } from 'react';
import { encode } from 'uqr';

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 justify-self-center rounded-lg bg-white"
    >
      <path d={path} fill="black" />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
}

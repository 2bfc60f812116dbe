/** Says after a few seconds that a response is still on its way, and why or how to speed it up. */
import { useEffect, useState } from 'react';

const slowAfterMs = 5_000; // after this, users wonder whether anything happens

export const slowSearch = 'Still searching. A shorter time range is faster.';
const slowAnswer = 'Still loading. This takes longer than usual.';

export function SlowNote({ words = slowAnswer }: { words?: string | undefined }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="text-center text-sm text-muted">
      {isSlow && words}
    </p>
  );
}

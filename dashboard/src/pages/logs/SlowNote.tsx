/** Says after a few seconds that a search still runs, and what makes it faster. Shown only while one does. */
import { useEffect, useState } from 'react';

const slowAfterMs = 5_000; // by then people wonder whether anything happens

export function SlowNote() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="text-center text-sm text-muted">
      {isSlow && 'Still searching. A shorter time range is faster.'}
    </p>
  );
}

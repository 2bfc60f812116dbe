/** The seconds until a repeat may succeed, counted down. */
import { ApiError } from '@tapedeck/client';
import { useEffect, useState } from 'react';

/** 0 when there is nothing to wait for. */
export function useCountdown(error: Error | null): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!(error instanceof ApiError) || error.retryAfterSeconds === null) return setSeconds(0);
    const endsAt = Date.now() + error.retryAfterSeconds * 1000;
    const count = () => setSeconds(Math.max(0, Math.ceil((endsAt - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 250);
    return () => clearInterval(timer);
  }, [error]);
  return seconds;
}

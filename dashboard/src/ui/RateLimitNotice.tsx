/** Counts down the wait after wrong passwords. */
import { ApiError } from '@tapedeck/client';
import { useEffect, useState } from 'react';
import { Notice } from './Notice.tsx';

type RateLimit = {
  /** True if the error is about too many attempts. */
  slowed: boolean;
  /** Seconds until the next attempt; 0 if there is no wait. */
  waitSeconds: number;
};

export function useRateLimit(error: Error | null): RateLimit {
  const slowed = error instanceof ApiError && error.code === 'sign_in_slowed';
  const [waitSeconds, setWaitSeconds] = useState(0);
  useEffect(() => {
    if (!slowed || error.retryAfterSeconds === null) return setWaitSeconds(0);
    const endsAt = Date.now() + error.retryAfterSeconds * 1000;
    const count = () => setWaitSeconds(Math.max(0, Math.ceil((endsAt - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 250);
    return () => clearInterval(timer);
  }, [slowed, error]);
  return { slowed, waitSeconds };
}

export function RateLimitNotice({ seconds }: { seconds: number }) {
  return (
    <Notice look="warning">
      Too many failed attempts. Try again in {seconds} {seconds === 1 ? 'second' : 'seconds'}.
    </Notice>
  );
}

/** A point in time: short, with the exact time on hover. */
import { formatExact, formatRelative } from '../format/times.ts';

export function Timestamp({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap">
      {formatRelative(at, Date.now())}
    </time>
  );
}

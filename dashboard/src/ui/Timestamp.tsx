/** A point in time: short to read, exact under the pointer. */
import { formatExact, formatRelative } from '../format/times.ts';

export function Timestamp({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap">
      {formatRelative(at, Date.now())}
    </time>
  );
}

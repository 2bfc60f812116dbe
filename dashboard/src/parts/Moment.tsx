/** A point in time: short to read, exact under the pointer. */
import { formatExact, formatRelative } from '../text/instants.ts';

export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap">
      {formatRelative(at, Date.now())}
    </time>
  );
}

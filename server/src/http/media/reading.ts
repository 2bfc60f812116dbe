/** Plans the answer to a request for a file: conditions first, then ranges, as RFC 9110 orders them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../domain/ports/blobs.ts';
import { checkConditions, checkIfRange, type Representation } from './conditions.ts';
import { parseRange } from './ranges.ts';

export type ReadingPlan =
  | { status: 200 | 304 | 412 | 416 }
  /** One range is sent as it is, several are framed. */
  | { status: 206; ranges: readonly [ByteRange, ...ByteRange[]] };

export function planReading(
  request: { method: string; headers: IncomingHttpHeaders },
  file: Representation,
  now: number,
): ReadingPlan {
  const verdict = checkConditions(request.headers, file, now);
  if (verdict === 'failed') return { status: 412 };
  if (verdict === 'not modified') return { status: 304 };
  // Ranges are defined for GET alone (section 14.2).
  if (request.method !== 'GET' || !checkIfRange(headerText(request.headers['if-range']), file, now))
    return { status: 200 };
  const ranges = parseRange(request.headers.range, file.sizeBytes);
  if (ranges === null) return { status: 200 };
  const [first, ...others] = ranges;
  return first === undefined ? { status: 416 } : { status: 206, ranges: [first, ...others] };
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

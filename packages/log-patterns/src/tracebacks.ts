/** Finds the exception in a Python traceback, whose first line is always the same. */
import { is, kinds } from './bytes.ts';
import type { Range } from './scanning.ts';

export const tracebackHeading = 'Traceback (most recent call last):';
const heading = Buffer.from(tracebackHeading);
const lineEnd = 0x0a;

/** Returns the start of the line with the exception, or `start` if the body is no traceback or ends before that line. */
export function findRaised({ bytes, start, end }: Range): number {
  if (!holdsHeading(bytes, start, end)) return start;
  let raised = start;
  let isBehindHeading = false;
  for (let line = start; line < end; ) {
    // A further heading begins an exception that was raised while the previous one was handled.
    if (holdsHeading(bytes, line, end)) isBehindHeading = true;
    else if (isBehindHeading && !(kinds[bytes[line]!]! & (is.blank | is.lineEnd))) {
      raised = line;
      isBehindHeading = false;
    }
    const next = bytes.indexOf(lineEnd, line);
    if (next < 0) break;
    line = next + 1;
  }
  return raised;
}

function holdsHeading(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < heading.length) return false;
  for (let index = 0; index < heading.length; index++)
    if (bytes[start + index] !== heading[index]) return false;
  return true;
}

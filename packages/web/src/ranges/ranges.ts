/** Serves range requests by RFC 9110, section 14, byte for byte like nginx. */

/** Half open, in bytes: `{ start: 0, end: sizeBytes }` is the whole file. */
type ByteRange = { start: number; end: number };

const rangesMax = 10; // CONTRACT.md, 3.1

/**
 * Returns null to send the whole file, if the header is absent, unreadable, or asks for too much. Returns an empty list if no requested byte exists.
 * Keeps the order of the ranges and does not merge them.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange[] | null {
  const set = /^bytes=(.*)$/is.exec(header?.trim() ?? '')?.[1];
  if (set === undefined) return null;
  const specs = set
    .split(',')
    .map(spec => spec.trim())
    .filter(spec => spec !== '');
  if (specs.length === 0 || specs.length > rangesMax) return null;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = parseSpec(spec, sizeBytes);
    if (range === 'invalid') return null;
    if (range.start < range.end) ranges.push(range);
  }
  // If the ranges together exceed the file, sends the whole file, like nginx.
  const requestedBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  return requestedBytes > sizeBytes ? null : ranges;
}

function parseSpec(spec: string, sizeBytes: number): ByteRange | 'invalid' {
  const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(spec) ?? [];
  if (first === '' && last === '') return 'invalid';
  // Numbers too large to be exact still lie beyond every file.
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes };
  if (last !== '' && Number(last) < Number(first)) return 'invalid';
  return { start: Number(first), end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

/** Describes one part for `Content-Range`. */
export function describeRange({ start, end }: ByteRange, sizeBytes: number): string {
  return `bytes ${start}-${end - 1}/${sizeBytes}`;
}

type ByteRangesFrame = {
  contentType: string;
  contentLength: number;
  /** The text before the bytes of each range. */
  heads: readonly string[];
  /** The text after the last range. */
  tail: string;
};

/** Returns the parts of `multipart/byteranges` around the bytes of at least two ranges. The boundary has twenty digits. */
export function frameByteRanges(
  ranges: readonly ByteRange[],
  file: { mimeType: string; sizeBytes: number },
  boundary: string,
): ByteRangesFrame {
  const heads = ranges.map(
    range =>
      `\r\n--${boundary}\r\nContent-Type: ${file.mimeType}\r\nContent-Range: ${describeRange(range, file.sizeBytes)}\r\n\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const contentLength = ranges.reduce(
    (sum, { start, end }) => sum + end - start,
    [...heads, tail].join('').length,
  );
  return { contentType: `multipart/byteranges; boundary=${boundary}`, contentLength, heads, tail };
}

export function makeBoundary(): string {
  return Array.from({ length: 20 }, () => Math.floor(Math.random() * 10)).join('');
}

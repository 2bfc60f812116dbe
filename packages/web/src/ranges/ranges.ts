/** Range requests by RFC 9110, section 14, framed byte for byte as nginx frames them. */

/** Half open, in bytes: `{ start: 0, end: sizeBytes }` is everything. */
type ByteRange = { start: number; end: number };

const rangesMax = 10; // CONTRACT.md, 3.1

/**
 * Returns null to send the whole file, when the header is absent, unreadable, or asks for too much. Returns an empty list
 * when no requested byte exists. Ranges keep the order of the request, and are not merged.
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
  // When the ranges together are longer than the file, the whole file is sent, as nginx does.
  const askedBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  return askedBytes > sizeBytes ? null : ranges;
}

function parseSpec(spec: string, sizeBytes: number): ByteRange | 'invalid' {
  const [, first = '', last = ''] = /^(\d*)\s*-\s*(\d*)$/.exec(spec) ?? [];
  if (first === '' && last === '') return 'invalid';
  // Numbers too long to be exact are beyond every file all the same.
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
  /** The text behind the last range. */
  tail: string;
};

/** The parts of `multipart/byteranges` around the bytes of at least two ranges. The boundary is twenty digits. */
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

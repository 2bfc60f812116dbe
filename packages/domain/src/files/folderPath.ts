/** Validates and normalises folder paths. */
import { limits, ServiceError } from '../vocabulary.ts';

const pathSegmentsMax = 16; // CONTRACT.md, 3

/** API routes share their prefix with file keys: `/v3/file/presigned-url` must not be a file. */
const reservedFirstSegments = ['base64', 'presigned-url', 'resumable'];
/** `%252525252e` hides a dot under five layers. Paths with more layers are rejected. */
const percentLayersMax = 5;
const forbiddenCharacters = /[\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Returns the path as stored: NFC, without a trailing slash, '' for none. Throws `path_invalid` for paths that leave their folder, or that a
 * careless parser could misread so.
 */
export function parseFolderPath(text: string): string {
  const path = text.normalize('NFC').replace(/\/$/, '');
  if (path === '' && text !== '/') return '';
  if (Buffer.byteLength(path) > limits.pathBytesMax) {
    throw invalidPathError(`may take at most ${limits.pathBytesMax} bytes`);
  }
  const segments = path.split('/');
  if (segments.length > pathSegmentsMax)
    throw invalidPathError(`may have at most ${pathSegmentsMax} folders`);
  checkSegments(segments);
  for (const reading of readingsOf(path)) {
    const read = reading.split('/');
    if (read.length !== segments.length) throw invalidPathError('must separate folders by plain slashes');
    checkSegments(read);
  }
  if (reservedFirstSegments.includes(segments[0] ?? '')) {
    throw invalidPathError(
      `must not begin with ${reservedFirstSegments.map(name => `"${name}"`).join(' or ')}`,
    );
  }
  return path;
}

/** Reads the folder of new files. Also refuses the sign for bytes that are not UTF-8, which would make one folder of several. */
export function parseSentFolderPath(text: string): string {
  if (text.includes('\ufffd')) throw invalidPathError('must be written in UTF-8');
  return parseFolderPath(text);
}

function checkSegments(segments: string[]): void {
  for (const segment of segments) {
    const bare = segment.trim();
    if (bare === '') throw invalidPathError('must not begin with a slash or hold empty folder names');
    if (bare === '.' || bare === '..') throw invalidPathError('must not hold "." or ".." as a folder');
    if (forbiddenCharacters.test(segment))
      throw invalidPathError('must not hold backslashes or control characters');
  }
}

/** Lists what the path becomes if percent signs are decoded or full-width characters folded, in any order. */
function readingsOf(path: string): Set<string> {
  const readings = new Set<string>([path.normalize('NFKC')]);
  let decoded = path;
  for (let layer = 0; ; layer++) {
    const next = decodePercents(decoded.normalize('NFKC'));
    if (next === decoded.normalize('NFKC')) return readings;
    if (layer === percentLayersMax) throw invalidPathError('must not be percent-encoded more than once');
    readings.add(next).add(next.normalize('NFKC'));
    decoded = next;
  }
}

/** Leaves other percent signs alone, so that "50% off" remains a name. */
function decodePercents(text: string): string {
  const classic = text.replace(/%u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return classic.replace(/(?:%[0-9a-f]{2})+/gi, run => {
    try {
      return decodeURIComponent(run);
    } catch (cause) {
      // Careless decoders read overlong forms such as %c0%ae as dots.
      throw new ServiceError(
        'path_invalid',
        'The path contains percent signs that do not encode UTF-8 text.',
        {
          cause,
          field: 'path',
        },
      );
    }
  });
}

function invalidPathError(because: string): ServiceError {
  return new ServiceError('path_invalid', `The path ${because}.`, { field: 'path' });
}

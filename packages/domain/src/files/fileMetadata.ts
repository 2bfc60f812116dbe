/** Parses an upload's metadata and rejects values that cannot be stored. */

import { isObject } from '@tapedeck/values/json';
import { limits, ServiceError } from '../vocabulary.ts';

const metadataDepthMax = 100; // a tenth of what SQLite's JSON functions allow

export type FileMetadata = Record<string, unknown>;

/** Accepts JSON text (from forms) or an object (from JSON bodies). Empty text means no metadata. */
export function parseFileMetadata(value: unknown): FileMetadata {
  if (typeof value === 'string') {
    if (value.trim() === '') return {};
    checkSize(value);
    return checkObject(parseText(value));
  }
  // Checks the depth first, because JSON.stringify fails on deeply nested objects.
  const metadata = checkObject(value);
  checkSize(JSON.stringify(metadata));
  return metadata;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('metadata_invalid', 'The metadata is not valid JSON.', {
      cause,
      field: 'metadata',
    });
  }
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) > limits.metadataBytesMax) {
    throw invalidMetadataError(`may take at most ${limits.metadataBytesMax} bytes`);
  }
}

function checkObject(value: unknown): FileMetadata {
  if (!isObject(value)) throw invalidMetadataError('must be a JSON object');
  if (Object.keys(value).length > limits.metadataKeysMax)
    throw invalidMetadataError(`may have at most ${limits.metadataKeysMax} keys`);
  checkValues(value);
  return value;
}

/** Rejects values that the databases cannot store or compare, and the key `__proto__`, which changes an object when copied. */
function checkValues(root: FileMetadata): void {
  let level: unknown[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > metadataDepthMax)
      throw invalidMetadataError(`may be nested at most ${metadataDepthMax} levels deep`);
    const next: unknown[] = [];
    for (const container of level) {
      // A level holds only containers.
      for (const [key, value] of Object.entries(container as object)) {
        checkText(key);
        if (key === '__proto__') throw invalidMetadataError('must not hold the key "__proto__"');
        if (typeof value === 'string') checkText(value);
        else if (typeof value === 'number' && !Number.isFinite(value))
          throw invalidMetadataError('holds a number that is too large');
        else if (typeof value === 'object' && value !== null) next.push(value);
      }
    }
    level = next;
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw invalidMetadataError('must not hold the character U+0000');
  if (!text.isWellFormed()) throw invalidMetadataError('must not hold half of a surrogate pair');
}

function invalidMetadataError(because: string): ServiceError {
  return new ServiceError('metadata_invalid', `The metadata ${because}.`, { field: 'metadata' });
}

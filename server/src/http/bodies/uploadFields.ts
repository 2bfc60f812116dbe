/** Reads the fields beside the file of an upload, in the same way from forms, JSON bodies and query strings. */
import { parseFileMetadata } from '../../domain/files/fileMetadata.ts';
import { parseFolderPath } from '../../domain/files/folderPath.ts';
import { parseFilename } from '../../domain/files/storageKey.ts';
import type { UploadFields } from '../../domain/files/uploads.ts';
import { invalidFieldError, type ServiceError } from '../../vocabulary.ts';

/** The names under which these fields are sent; everything else is ignored. */
export const uploadFieldNames = [
  'filename',
  'path',
  'metadata',
  'retentionExempt',
  'retention_exempt',
] as const;

/** An empty or missing field is an absent one; a wrong type is `invalid_field`. */
export function parseUploadFields(raw: Readonly<Record<string, unknown>>): UploadFields {
  const metadata = take(raw, 'metadata');
  if (metadata !== undefined && typeof metadata !== 'string' && typeof metadata !== 'object') {
    throw wrongTypeError('metadata', 'JSON text or an object');
  }
  return {
    filename: parseFilename(takeText(raw, 'filename')),
    path: parseFolderPath(takeText(raw, 'path')),
    metadata: metadata === undefined ? {} : parseFileMetadata(metadata),
    retentionExempt: parseFlag(take(raw, 'retentionExempt') ?? take(raw, 'retention_exempt')),
  };
}

function take(raw: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
}

function takeText(raw: Readonly<Record<string, unknown>>, name: string): string {
  const value = take(raw, name) ?? '';
  if (typeof value !== 'string') throw wrongTypeError(name, 'a string');
  return value;
}

function parseFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === undefined || word === '' || word === 'false') return false;
  if (word === 'true') return true;
  throw wrongTypeError('retentionExempt', '"true" or "false"');
}

function wrongTypeError(name: string, expected: string): ServiceError {
  return invalidFieldError(name, `The field "${name}" must be ${expected}.`);
}

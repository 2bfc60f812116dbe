/** Encodes the end of a page as an opaque cursor. Rejects cursors that were tampered with. */
import { createHmac } from 'node:crypto';
import { decodeBase64url, isSameSecret } from '@tapedeck/values/random-ids';
import type { FilePlace } from '../ports/files.ts';
import { ServiceError } from '../vocabulary.ts';

const signatureCharacters = 16; // 96 bits

/** `scope` names the cursor's list, such as a project's files; other lists reject the cursor. */
export function writeCursor(secret: string, scope: string, position: number): string {
  return signText(secret, scope, String(position));
}

export function readCursor(secret: string, scope: string, cursor: string): number {
  const position = Number(readText(secret, scope, cursor));
  if (Number.isSafeInteger(position)) return position;
  throw invalidCursorError();
}

/** Writes a cursor for lists in any order. */
export function writeSortedCursor(secret: string, scope: string, { position, value }: FilePlace): string {
  return signText(secret, scope, JSON.stringify([position, value]));
}

export function readSortedCursor(secret: string, scope: string, cursor: string): FilePlace {
  // Only `writeSortedCursor` signs under this list's scope.
  const [position, value] = JSON.parse(readText(secret, scope, cursor)) as [number, FilePlace['value']];
  return { position, value };
}

/** The secret and list of cursors. */
export type CursorKey = { secret: string; scope: string };

/** Signs a place of any form, readable only by the named list. */
export function writeSignedPosition({ secret, scope }: CursorKey, place: object): string {
  return signText(secret, scope, JSON.stringify(place));
}

export function readSignedPosition({ secret, scope }: CursorKey, cursor: string): unknown {
  return JSON.parse(readText(secret, scope, cursor));
}

function signText(secret: string, scope: string, content: string): string {
  const text = Buffer.from(content).toString('base64url');
  return `${text}.${sign(secret, scope, text)}`;
}

function readText(secret: string, scope: string, cursor: string): string {
  const [text = '', signature = ''] = cursor.split('.');
  const content = decodeBase64url(text)?.toString();
  const isSigned = cursor.split('.').length === 2 && isSameSecret(signature, sign(secret, scope, text));
  if (content === undefined || !isSigned) throw invalidCursorError();
  return content;
}

function invalidCursorError(): ServiceError {
  const sentence = 'This cursor belongs to another list. Start again without one.';
  return new ServiceError('cursor_invalid', sentence, { field: 'cursor' });
}

function sign(secret: string, scope: string, text: string): string {
  return createHmac('sha256', secret)
    .update(`cursor\0${scope}\0${text}`)
    .digest('base64url')
    .slice(0, signatureCharacters);
}

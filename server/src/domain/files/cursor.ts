/** Encodes the end of a page as an opaque cursor and rejects cursors that were tampered with. */
import { createHmac } from 'node:crypto';
import { decodeBase64url, isSameSecret } from '@tapedeck/values/random-ids';
import { ServiceError } from '../../vocabulary.ts';
import type { FilePlace } from '../ports/files.ts';

const signatureCharacters = 16; // 96 bits

/** `scope` names the list that the cursor belongs to, such as a project's files; other lists refuse it. */
export function writeCursor(secret: string, scope: string, position: number): string {
  return signText(secret, scope, String(position));
}

export function readCursor(secret: string, scope: string, cursor: string): number {
  const position = Number(readText(secret, scope, cursor));
  if (Number.isSafeInteger(position)) return position;
  throw invalidCursorError();
}

/** A cursor for lists in another order. */
export function writePlaceCursor(secret: string, scope: string, { position, value }: FilePlace): string {
  return signText(secret, scope, JSON.stringify([position, value]));
}

export function readPlaceCursor(secret: string, scope: string, cursor: string): FilePlace {
  // Signed under the scope of this list, for which only `writePlaceCursor` signs.
  const [position, value] = JSON.parse(readText(secret, scope, cursor)) as [number, FilePlace['value']];
  return { position, value };
}

/** The secret and the list that cursors belong to. */
export type PlaceSigner = { secret: string; scope: string };

/** A place of another form, which the list that is named alone can read. */
export function writeSignedPlace({ secret, scope }: PlaceSigner, place: object): string {
  return signText(secret, scope, JSON.stringify(place));
}

export function readSignedPlace({ secret, scope }: PlaceSigner, cursor: string): unknown {
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

/** Encodes the end of a page as an opaque cursor and rejects cursors that were tampered with. */
import { createHmac } from 'node:crypto';
import { decodeBase64url, isSameSecret } from '@tapedeck/values/random-ids';
import { ServiceError } from '../../vocabulary.ts';

const signatureCharacters = 16; // 96 bits

/** `scope` names the list that the cursor belongs to, such as a project's files; other lists refuse it. */
export function writeCursor(secret: string, scope: string, position: number): string {
  const text = Buffer.from(String(position)).toString('base64url');
  return `${text}.${sign(secret, scope, text)}`;
}

export function readCursor(secret: string, scope: string, cursor: string): number {
  const [text = '', signature = ''] = cursor.split('.');
  const position = Number(decodeBase64url(text)?.toString());
  if (
    cursor.split('.').length !== 2 ||
    !isSameSecret(signature, sign(secret, scope, text)) ||
    !Number.isSafeInteger(position)
  ) {
    throw new ServiceError(
      'cursor_invalid',
      'This cursor was not made for this list; begin again without one.',
      { field: 'cursor' },
    );
  }
  return position;
}

function sign(secret: string, scope: string, text: string): string {
  return createHmac('sha256', secret)
    .update(`cursor\0${scope}\0${text}`)
    .digest('base64url')
    .slice(0, signatureCharacters);
}

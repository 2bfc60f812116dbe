/** Cursors: where a page ended, sealed so that nobody can make one up. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../vocabulary.ts';

export type CursorSeal = { encode(traceId: string): string; decode(cursor: string): string };

const traceIdBytes = 16;
const sealBytes = 8; // of no use beyond that: a cursor opens nothing that its bearer may not read anyway

/** The same secret reads the cursors of other nodes and of earlier runs. */
export function createCursorSeal(secret: string): CursorSeal {
  const key = createHmac('sha256', secret).update('log cursor').digest();
  const seal = (traceId: Buffer) => createHmac('sha256', key).update(traceId).digest().subarray(0, sealBytes);
  return {
    encode(traceId) {
      const bytes = Buffer.from(traceId, 'hex');
      return Buffer.concat([bytes, seal(bytes)]).toString('base64url');
    },
    decode(cursor) {
      // 24 bytes fill 32 characters to the last bit, so that no two spellings mean the same.
      const bytes = /^[\w-]{32}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
      const [traceId, found] = [bytes.subarray(0, traceIdBytes), bytes.subarray(traceIdBytes)];
      if (found.length !== sealBytes || !timingSafeEqual(found, seal(traceId))) {
        throw new ServiceError(
          'invalid_field',
          'cursor is none that this service gave out; start without it.',
        );
      }
      return traceId.toString('hex');
    },
  };
}

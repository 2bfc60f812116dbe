/** Signed cursors that mark the end of a page. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeBase64url } from '@tapedeck/values/random-ids';
import type { Arrival } from '../../ports/logQueries.ts';

export type CursorSigner = {
  encode(traceId: string): string;
  /** Returns the traceId of a cursor, be it that of a tail; null for what was not sealed here. */
  decode(cursor: string): string | null;
  encodeArrival(arrival: Arrival): string;
  /** Returns the place in a tail; null for what was not sealed here. */
  decodeArrival(cursor: string): Arrival | null;
};

const traceIdBytes = 16;
const microsBytes = 8;
const sealBytes = 8; // enough, because a forged cursor would show nothing that its sender may not read

/** Nodes with the same secret read each other's cursors, also those of earlier runs. */
export function createCursorSigner(secret: string): CursorSigner {
  const key = createHmac('sha256', secret).update('log cursor').digest();
  const seal = (bytes: Buffer) => createHmac('sha256', key).update(bytes).digest().subarray(0, sealBytes);
  const encodeBytes = (bytes: Buffer) => Buffer.concat([bytes, seal(bytes)]).toString('base64url');
  /** Returns the sealed bytes; null when their length or their seal is wrong. */
  const open = (cursor: string, length: number): Buffer | null => {
    const all = decodeBase64url(cursor);
    if (all?.length !== length + sealBytes) return null;
    const bytes = all.subarray(0, length);
    return timingSafeEqual(all.subarray(length), seal(bytes)) ? bytes : null;
  };
  const decodeArrival = (cursor: string): Arrival | null => {
    const bytes = open(cursor, traceIdBytes + microsBytes);
    if (bytes === null) return null;
    return { micros: Number(bytes.readBigUInt64BE()), traceId: bytes.toString('hex', microsBytes) };
  };
  return {
    encode: traceId => encodeBytes(Buffer.from(traceId, 'hex')),
    decode: cursor => open(cursor, traceIdBytes)?.toString('hex') ?? decodeArrival(cursor)?.traceId ?? null,
    encodeArrival({ micros, traceId }) {
      const bytes = Buffer.alloc(microsBytes + traceIdBytes);
      bytes.writeBigUInt64BE(BigInt(micros));
      bytes.write(traceId, microsBytes, 'hex');
      return encodeBytes(bytes);
    },
    decodeArrival,
  };
}

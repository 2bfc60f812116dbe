/**
 * Counts the bytes of long answers until their clients have read them, per holder: a project, a user, or an address if both are unknown. A client
 * that reads slowly, or not at all, keeps its answer in memory. A holder may hold no more than is left for the others. The count covers the whole
 * process, like its memory.
 */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyReply } from 'fastify';
import { shareKeyOf } from './authentication.ts';

const longBytesMin = 256 * 1024; // shorter ones mostly fit into the system's buffers
export const heldResponsesBytesMax = 256 * 1024 * 1024; // one holder alone gets half

const shares = new Map<string, number>();
let allBytes = 0;

/** Returns why the answer cannot be held now, or null. A holder without a long answer may always hold one. */
export function holdAnswer({ raw, request }: FastifyReply, bytes: number): ServiceError | null {
  if (bytes < longBytesMin) return null;
  const holder = shareKeyOf(request);
  const share = shares.get(holder) ?? 0;
  if (share > 0 && share + bytes > heldResponsesBytesMax - allBytes - bytes) return overloadedError();
  shares.set(holder, share + bytes);
  allBytes += bytes;
  raw.once('close', () => {
    const rest = (shares.get(holder) ?? 0) - bytes;
    if (rest > 0) shares.set(holder, rest);
    else shares.delete(holder);
    allBytes -= bytes;
  });
  return null;
}

function overloadedError(): ServiceError {
  const sentence =
    'Too many long answers are being read slowly at once; ask for fewer entries, or try again later.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5 });
}

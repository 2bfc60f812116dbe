/**
 * RFC 9112, 6.1: a body comes in chunks, or as it is. Node.js's parser refuses what does not end with chunks, whose length nobody
 * could tell, and passes over every other coding of the transfer; those are refused here, because nothing undoes them.
 */
import type { IncomingMessage } from 'node:http';

export function comesInChunksAlone({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const codings = headers['transfer-encoding']?.split(',').filter(coding => coding.trim() !== '') ?? [];
  return codings.length <= 1;
}

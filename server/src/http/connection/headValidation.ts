/** Rejects request heads that Node.js accepts but that proxies could read differently. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../vocabulary.ts';

/** null when the head is sound. */
export function findInvalidHead(raw: IncomingMessage): ServiceError | null {
  if (raw.httpVersion === '1.1' && !namesOneHost(raw))
    return new ServiceError('bad_request', 'The request must have exactly one Host header.');
  if (!comesInChunksAlone(raw)) {
    const sentence = 'Send the body with no other Transfer-Encoding than chunked.';
    return new ServiceError('transfer_coding_unsupported', sentence);
  }
  return null;
}

/**
 * RFC 9112, 3.2: a request of HTTP/1.1 names exactly one host. Read from the raw headers: those that Node.js tells apart are
 * made anew for each request.
 */
function namesOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1;
}

/**
 * RFC 9112, 6.1: a body comes in chunks, or as it is. Node.js's parser refuses what does not end with chunks, whose length nobody
 * could tell, and passes over every other coding of the transfer; those are refused here, because nothing undoes them.
 */
function comesInChunksAlone({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']?.split(',').filter(coding => coding.trim() !== '') ?? [];
  return codings.length <= 1;
}

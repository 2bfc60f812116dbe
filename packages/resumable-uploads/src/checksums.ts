/** The header Upload-Checksum: an algorithm, and a chunk's digest in base64. */
import { createHash } from 'node:crypto';
import { ResumableFailure } from './failures.ts';

/** The protocol requires the first. */
export const checksumAlgorithms = ['sha1', 'md5', 'sha256', 'sha512'] as const;

export type Checksum = { algorithm: (typeof checksumAlgorithms)[number]; digest: Buffer };

export function readChecksum(header: string | undefined): Checksum | null {
  if (header === undefined) return null;
  const [name = '', encoded = '', ...more] = header.split(/\s+/);
  const algorithm = checksumAlgorithms.find(known => known === name.toLowerCase());
  if (algorithm === undefined || more.length > 0) {
    throw new ResumableFailure(
      'bad_request',
      `The header Upload-Checksum must be one of ${checksumAlgorithms.join(', ')}, a space, and the digest in base64.`,
    );
  }
  return { algorithm, digest: Buffer.from(encoded, 'base64') };
}

/** Passes the chunks on. Throws after the last one if they don't match the checksum. */
export async function* checkChunks(
  chunks: AsyncIterable<Uint8Array>,
  { algorithm, digest }: Checksum,
): AsyncGenerator<Uint8Array> {
  const hash = createHash(algorithm);
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest().equals(digest)) return;
  throw new ResumableFailure(
    'checksum_mismatch',
    'The checksum does not match these bytes: send them again.',
  );
}

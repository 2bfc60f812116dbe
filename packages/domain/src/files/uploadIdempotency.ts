/** Makes an upload with an `Idempotency-Key` take effect once, however often it is sent. */
import { createHash } from 'node:crypto';
import type { StoredFile, StoredUpload, UploadKey } from '../ports/files.ts';
import { limits, ServiceError } from '../vocabulary.ts';

/** The key, and the token that sent it. */
export type SentKey = { tokenId: string; key: string };

type Content = { project: string; sha256: string; fields: object };

const keyLifeMs = 24 * 3_600_000; // CONTRACT.md, 4.1

/** The same key, bytes and fields identify the same upload. */
export function composeUploadKey({ tokenId, key }: SentKey, content: Content, now: number): UploadKey {
  const { project, sha256, fields } = content;
  return {
    scopeHash: hash([tokenId, key]),
    contentHash: hash([project, sha256, JSON.stringify(fields)]),
    expiresAt: now + keyLifeMs,
  };
}

export function requireKeyLength(sent: SentKey): SentKey {
  if (sent.key.length <= limits.idempotencyKeyCharactersMax) return sent;
  const sentence = `Idempotency-Key may be at most ${limits.idempotencyKeyCharactersMax} characters long.`;
  throw new ServiceError('invalid_field', sentence);
}

export function requireSameUpload(stored: StoredUpload, { contentHash }: UploadKey): StoredFile {
  if (stored.contentHash === contentHash) return stored.file;
  throw new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another upload; send a new key with a new file.',
  );
}

/** JSON keeps the parts apart. */
function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

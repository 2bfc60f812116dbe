/** Tokens from the configuration, for containers and tests. */
import { createHmac } from 'node:crypto';
import { hashToken } from '@tapedeck/values/random-ids';
import type { Token } from '../ports/metadata.ts';
import { defaultProject, type TokenKind } from '../vocabulary.ts';

const fixedIdCharacters = 16; // 64 bits: two tokens of a machine never collide

/**
 * Only this process knows a token from the configuration; it is never stored. Its id depends on its text, so replacing the token invalidates
 * what it made. The secret keeps the id from revealing the text.
 */
export function makeFixedToken(kind: TokenKind, text: string, secret: string): Token {
  const digest = createHmac('sha256', secret).update(`fixed token\0${text}`).digest('hex');
  return {
    id: `fixed-${kind}-${digest.slice(0, fixedIdCharacters)}`,
    project: defaultProject,
    kind,
    name: 'from the configuration',
    prefix: text.slice(0, 4),
    hash: hashToken(text),
    scopes: [],
    createdAt: 0,
    createdBy: 'configuration',
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    makerId: null,
    makerUserId: null,
  };
}

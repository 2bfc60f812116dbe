/** Tokens of the configuration, for containers and tests. */
import { createHmac } from 'node:crypto';
import { hashToken } from '@tapedeck/values/random-ids';
import { defaultProject, type TokenKind } from '../../vocabulary.ts';
import type { Token } from '../ports/metadata.ts';

const fixedIdCharacters = 16; // 64 bits: two texts of one machine never share them

/**
 * A token from the configuration is known to this process only and never stored. Its id changes with its text, so that
 * what it made becomes invalid when another token takes its place. The secret keeps the id from revealing anything
 * about the text.
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

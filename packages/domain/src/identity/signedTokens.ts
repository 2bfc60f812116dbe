/** Encrypts and signs texts that only this installation can read: secrets at rest, and tickets between sign-in steps. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { decodeBase64url, hashToken } from '@tapedeck/values/random-ids';
import type { Records } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';

type Seal = {
  close(text: string): string;
  /** null if this seal did not close the text, or if the text is spelled differently. */
  open(sealed: string): string | null;
};

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12; // NIST SP 800-38D, 8.2: random, and far fewer than 2^32 are made
const tagBytes = 16;

/** Each purpose has its own key. Nodes with the same secret accept each other's tokens. */
export function createTokenSigner(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `seal: ${purpose}`, keyBytes));
  return {
    close: text => {
      const nonce = randomBytes(nonceBytes);
      const closing = createCipheriv(cipher, key, nonce);
      const closed = [nonce, closing.update(text, 'utf8'), closing.final()];
      return Buffer.concat([...closed, closing.getAuthTag()]).toString('base64url');
    },
    open: sealed => {
      const bytes = decodeBase64url(sealed);
      if (bytes === null || bytes.length < nonceBytes + tagBytes) return null;
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes));
      opening.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, opening.final()]).toString('utf8');
      } catch {
        return null; // the tag does not match
      }
    },
  };
}

type Ticket<Content> = { text: string; content: Content; expiresAt: number };

type Tickets<Content> = {
  issue(content: Content, now: number): Ticket<Content>;
  /** Rejects expired tickets and those not issued here. */
  read(text: string, now: number): Ticket<Content>;
  /** Uses the ticket up; rejects if it has been used. */
  spend(records: Records, ticket: Ticket<Content>): Promise<void>;
};

/**
 * Tickets are stored only once used, so that requests for tickets cannot fill a table. Used tickets are remembered by their text; that
 * suffices because the seal opens only one spelling.
 */
export function createTickets<Content>(secret: string, purpose: string, lifeMs: number): Tickets<Content> {
  const seal = createTokenSigner(secret, `ticket: ${purpose}`);
  return {
    issue: (content, now) => {
      const expiresAt = now + lifeMs;
      return { text: seal.close(JSON.stringify({ content, expiresAt })), content, expiresAt };
    },
    read: (text, now) => {
      const opened = seal.open(text);
      if (opened === null) throw spentError();
      // Only `issue` closes this seal.
      const { content, expiresAt } = JSON.parse(opened) as { content: Content; expiresAt: number };
      if (expiresAt <= now) throw spentError();
      return { text, content, expiresAt };
    },
    spend: async ({ spentTickets }, { text, expiresAt }) => {
      if (!(await spentTickets.spend(hashToken(text), expiresAt))) throw spentError();
    },
  };
}

function spentError(): ServiceError {
  const sentence = 'This took too long, or is already finished. Start again.';
  return new ServiceError('ticket_expired', sentence);
}

/** Validates and compares email addresses, and tells whether they are verified. */

import type { User } from '../ports/metadata.ts';
import { limits, patterns } from '../vocabulary.ts';

const shape = new RegExp(patterns.email);

export function isEmailAddress(text: string): boolean {
  return shape.test(text) && text.length <= limits.emailCharactersMax;
}

/** Lower-cases an address that a sign-in provider verified. null if that changes the mailbox: the Kelvin sign becomes the letter k. */
export function readVouchedEmail(text: string): string | null {
  const lower = text.toLowerCase();
  const isSameMailbox = lower === text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
  return isSameMailbox && isEmailAddress(text) ? lower : null;
}

export function isEmailVerified({ email, verifiedEmail }: Pick<User, 'email' | 'verifiedEmail'>): boolean {
  return email === verifiedEmail;
}

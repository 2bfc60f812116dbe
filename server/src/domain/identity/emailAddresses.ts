/** E-mail addresses as the service compares them, and whose word for one counts. */
import { limits, patterns } from '../../vocabulary.ts';
import type { User } from '../ports/metadata.ts';

const shape = new RegExp(patterns.email);

export function isEmailAddress(text: string): boolean {
  return shape.test(text) && text.length <= limits.emailCharactersMax;
}

/**
 * An address that a sign-in provider vouches for, in lower case. null where that is not the same address: the Kelvin sign becomes the
 * letter k, which is another mailbox.
 */
export function readVouchedEmail(text: string): string | null {
  const lower = text.toLowerCase();
  const isSameMailbox = lower === text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
  return isSameMailbox && isEmailAddress(text) ? lower : null;
}

/** Whether somebody who may know has vouched that the address is this user's. */
export function isEmailVerified({ email, verifiedEmail }: Pick<User, 'email' | 'verifiedEmail'>): boolean {
  return email === verifiedEmail;
}

/** Hashes passwords for tests as the service does, at a few thousandths of the cost. */
import { openPasswords } from '@tapedeck/domain/identity/passwords';

export const cheapCost = { N: 16, r: 1, p: 1 };

/** A real hash takes 0.3 s of CPU time, and tests sign in, set up and accept invitations hundreds of times. */
export const cheapPasswords = openPasswords(cheapCost);

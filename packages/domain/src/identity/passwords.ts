/** Hashes passwords with scrypt, one at a time, so that many sign-ins cannot exhaust memory. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Gate } from '@tapedeck/concurrency/gate';
import { ServiceError } from '../vocabulary.ts';

type ScryptOptions = { N: number; r: number; p: number; maxmem: number };
const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 2^16 · 8 takes 64 MiB. With p = 2 it takes as long as OWASP's first choice, 2^17 with p = 1. */
const usualCost = { N: 2 ** 16, r: 8, p: 2 };
const keyBytes = 32;
const saltBytes = 16;
const waitingMax = 49; // at about 0.3 s each, the last waits 15 s

/** `holder`: waiting holders take turns in the queue. */
export type Passwords = {
  hash(password: string, holder: string): Promise<string>;
  /** Takes equally long for an unknown user (null) and a wrong password. */
  isRight(password: string, stored: string | null, holder: string): Promise<boolean>;
};

/** `cost`: for new hashes; stored hashes contain their own. */
export function openPasswords(cost = usualCost): Passwords {
  const gate = new Gate(1, { queueLimit: { waitingMax, refuse: refuseMore } });
  const deriveKey = async (password: string, { salt, holder, N, r, p }: Derivation): Promise<Buffer> => {
    using _ = await gate.enter(holder);
    const options = { N, r, p, maxmem: 256 * N * r };
    return await scryptAsync(password.normalize('NFKC'), salt, keyBytes, options);
  };
  return {
    hash: async (password, holder) => {
      const salt = randomBytes(saltBytes);
      const key = await deriveKey(password, { salt, holder, ...cost });
      return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
    },
    isRight: async (password, stored, holder) => {
      const parts = (stored ?? '').split('$');
      const [N, r, p] = parts.slice(1, 4).map(Number);
      if (parts.length !== 6 || !N || !r || !p) {
        await deriveKey(password, { salt: randomBytes(saltBytes), holder, ...cost });
        return false;
      }
      const key = await deriveKey(password, { salt: Buffer.from(parts[4]!, 'base64url'), holder, N, r, p });
      return timingSafeEqual(key, Buffer.from(parts[5]!, 'base64url'));
    },
  };
}

type Derivation = typeof usualCost & { salt: Buffer; holder: string };

function refuseMore(): ServiceError {
  const sentence = 'Too many people are signing in at once; try again in a few seconds.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5 });
}

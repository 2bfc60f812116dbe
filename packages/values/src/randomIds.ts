/** Makes identifiers and secrets from the system's randomness. Secrets are compared by their hash. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export { decodeBase64url } from './base64url.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idCharacters = 20; // CONTRACT.md, 3
const tokenCharacters = 32; // CONTRACT.md, 2
const sortableTimeCharacters = 8; // 62^8 ms reach beyond the year 8800

export function newId(): string {
  return randomCharacters(idCharacters);
}

/** Chooses the id under which both sides log a request: the requested one if it is harmless. */
export function chooseRequestId(requested: string | string[] | undefined): string {
  return typeof requested === 'string' && /^[\w.-]{1,64}$/.test(requested) ? requested : newId();
}

/** Makes an id that sorts by creation time, and randomly within one millisecond. */
export function newSortableId(now: number): string {
  let time = '';
  for (let rest = now; time.length < sortableTimeCharacters; rest = Math.floor(rest / alphabet.length)) {
    time = (alphabet[rest % alphabet.length] ?? '0') + time;
  }
  return time + randomCharacters(idCharacters - sortableTimeCharacters);
}

const numericIdMin = 10n ** 19n; // the smallest number with twenty digits
const numericIds = 2n ** 64n - numericIdMin; // the rest of 64 bits: 8.4e18, too many to guess over a network

/** Makes an id of digits, for libraries that read ids as 64-bit numbers. */
export function newNumericId(): string {
  return String(numericIdMin + (BigInt(`0x${randomBytes(16).toString('hex')}`) % numericIds));
}

export function newToken(): string {
  return randomCharacters(tokenCharacters);
}

/** Hashes tokens and session secrets for storage and lookup. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Takes the same time wherever the texts differ. */
export function isSameSecret(one: string, other: string): boolean {
  const hashes = [one, other].map(text => hash('sha256', text, 'buffer'));
  return timingSafeEqual(hashes[0]!, hashes[1]!);
}

/** Drops bytes beyond the last whole multiple of the alphabet, so that every character is equally likely. */
function randomCharacters(count: number): string {
  const fairBytesMax = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < count) {
    const byte = takeRandomByte();
    if (byte < fairBytesMax) text += alphabet[byte % alphabet.length];
  }
  return text;
}

const randomBytesAtOnce = 4096; // a system call costs more than the rest of an id

let randomness: Buffer = Buffer.alloc(0);
let randomnessTaken = 0;

/** Uses each byte once and does not keep it. */
function takeRandomByte(): number {
  if (randomnessTaken === randomness.length) {
    randomness = randomBytes(randomBytesAtOnce);
    randomnessTaken = 0;
  }
  const byte = randomness[randomnessTaken] ?? 0;
  randomness[randomnessTaken++] = 0;
  return byte;
}

/** Computes time-based one-time codes (RFC 6238) from a secret shared with an authenticator app. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type CodeForm = { digits?: number; algorithm?: 'sha1' | 'sha256' | 'sha512' };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'; // RFC 4648, 6
const secretBytes = 20; // RFC 4226, 4: R6 requires 128 bits and recommends these
const stepSeconds = 30; // RFC 6238, 5.2; many apps support no other
const stepsAround = 1; // RFC 6238, 5.2: one for transmission time and clock differences

/** Makes a secret in base32, as apps expect it. */
export function newCodeSecret(): string {
  return encodeBase32(randomBytes(secretBytes));
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1000 / stepSeconds);
}

/** Computes the code of a step: RFC 4226, 5.3, with the step as the counter. Apps use six digits and SHA-1. */
export function makeCode(secret: string, step: number, form: CodeForm = {}): string {
  const { digits = 6, algorithm = 'sha1' } = form;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac(algorithm, decodeBase32(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns the step near now that has this code, or null. */
export function findStep(secret: string, code: string, nowMs: number): number | null {
  const now = stepAt(nowMs);
  let found: number | null = null;
  for (let step = Math.max(0, now - stepsAround); step <= now + stepsAround; step += 1) {
    if (isSame(makeCode(secret, step), code)) found = step;
  }
  return found;
}

/** Composes the text of the QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function composeKeyUri(key: { issuer: string; account: string; secret: string }): string {
  const [issuer, account] = [key.issuer, key.account].map(encodeURIComponent);
  return `otpauth://totp/${issuer}:${account}?secret=${key.secret}&issuer=${issuer}`;
}

export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const character of text) {
    held = ((held & 0xff) << 5) | alphabet.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

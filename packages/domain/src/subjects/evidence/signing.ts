/** The installation's key for signing evidence. It is derived from the secret that all nodes share, so nothing else is stored. */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';

const seedBytes = 32;
/** RFC 8410: an Ed25519 private key in DER without its seed, and a public key without its bytes. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export type EvidenceKey = {
  /** 32 bytes in base64url, as published. */
  publicKey: string;
  sign(text: string): string;
};

export function openEvidenceKey(secret: string): EvidenceKey {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'evidence: ed25519', seedBytes));
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: der.subarray(publicPrefix.length).toString('base64url'),
    sign: text => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = readPublicKey(publicKey);
  return key !== null && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}

/** Returns null if the text is not a key. */
export function readPublicKey(publicKey: string): KeyObject | null {
  const bytes = /^[\w-]{43}$/.test(publicKey) ? Buffer.from(publicKey, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== seedBytes) return null;
  return createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' });
}

/** The key with which an installation signs evidence. It follows from the secret, which all nodes share, so nothing else is kept. */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';

const seedBytes = 32;
/** RFC 8410: a private key of Ed25519 in DER, without its seed; and a public key, without its bytes. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export type EvidenceKey = {
  /** 32 bytes in base64url: the form in which others get the key. */
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

/** null for what is no key. */
export function readPublicKey(publicKey: string): KeyObject | null {
  const bytes = /^[\w-]{43}$/.test(publicKey) ? Buffer.from(publicKey, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== seedBytes) return null;
  return createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' });
}

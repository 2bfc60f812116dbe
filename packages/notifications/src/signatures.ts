/** Signs messages by Standard Webhooks, so that a receiver with the secret can verify their origin and age. */
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32; // the specification asks for 24 to 64

export function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

type Signed = { id: string; seconds: number; body: string };

/** Adds a signature per secret, so that either side may change the secret first. */
export function sign(secrets: readonly string[], { id, seconds, body }: Signed): string {
  const text = `${id}.${seconds}.${body}`;
  return secrets
    .map(secret => createHmac('sha256', readSecret(secret)).update(text).digest('base64'))
    .map(signature => `v1,${signature}`)
    .join(' ');
}

function readSecret(secret: string): Buffer {
  if (!secret.startsWith(prefix)) throw new TypeError(`A secret begins with ${prefix}.`);
  return Buffer.from(secret.slice(prefix.length), 'base64');
}

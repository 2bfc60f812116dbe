/** A software authenticator: creates passkeys and signs with them as WebAuthn specifies, without a browser. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type Place = { origin: string; host: string };

type Authenticator = {
  /** A browser's response to registration options. */
  register(challenge: string): RegistrationResponse;
  /** A browser's response to sign-in options. */
  signIn(challenge: string): SignInResponse;
};

type Named = { id: string; rawId: string; type: 'public-key' };
type RegistrationResponse = Named & { response: Record<'clientDataJSON' | 'attestationObject', string> };
type SignInResponse = Named & {
  response: Record<'clientDataJSON' | 'authenticatorData' | 'signature', string>;
};

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

export function makeAuthenticator({ origin, host }: Place): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  // COSE: an EC2 key for ES256 on P-256, with its two coordinates.
  const coseKey = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const describeAuthenticator = (flags: number): Buffer => {
    const count = Buffer.alloc(4); // synced passkeys do not count
    const hostHash = createHash('sha256').update(host).digest();
    return Buffer.concat([hostHash, Buffer.from([userPresent | userVerified | flags]), count]);
  };
  const describeClient = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  return {
    register: challenge => {
      const lengths = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length])]);
      const data = Buffer.concat([describeAuthenticator(hasCredential), lengths, credentialId, coseKey]);
      const size = Buffer.from([0x58, data.length]);
      // {fmt: 'none', attStmt: {}, authData: bytes}
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex');
      const response = {
        clientDataJSON: describeClient('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.concat([head, size, data]).toString('base64url'),
      };
      return { id, rawId: id, type: 'public-key', response };
    },
    signIn: challenge => {
      const client = describeClient('webauthn.get', challenge);
      const data = describeAuthenticator(0);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      };
      return { id, rawId: id, type: 'public-key', response };
    },
  };
}

/** Uses passkeys through the browser's WebAuthn, and turns its errors into sentences. */
import type { Answer, Input } from '@tapedeck/client';

/** Says why this browser cannot use passkeys at this address; null if it can. */
export function findPasskeyHindrance(isPossible: boolean): string | null {
  if (!window.isSecureContext) return 'Passkeys need https or localhost.';
  if (!isPossible) return 'Passkeys need a public https URL with a host name. Check TAPEDECK_PUBLIC_URL.';
  const isKnown = 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
  return isKnown ? null : 'This browser doesn’t support passkeys.';
}

type CreationOptions = Answer<'beginPasskey'>['options'];
type Registration = NonNullable<Input<'addPasskey'>['body']>['credential'];

export async function makePasskey(options: CreationOptions): Promise<Registration> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  // The browser's own shape: the contract's, and more.
  return (
    await requestCredential(() => navigator.credentials.create({ publicKey }))
  ).toJSON() as Registration;
}

type RequestOptions = Answer<'beginPasskeySignIn'>['options'];
type Assertion = NonNullable<Input<'signInByPasskey'>['body']>['credential'];

export async function requestPasskey(options: RequestOptions): Promise<Assertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  // As above.
  return (await requestCredential(() => navigator.credentials.get({ publicKey }))).toJSON() as Assertion;
}

async function requestCredential(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let answer: Credential | null;
  try {
    answer = await question();
  } catch (error) {
    throw new Error(describe(error), { cause: error });
  }
  if (answer instanceof PublicKeyCredential) return answer;
  throw new Error('The browser returned no passkey.');
}

function describe(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.';
  if (name === 'SecurityError') return 'Passkeys work only at the service’s public URL. Open that address.';
  return 'No passkey was used. You cancelled, or this device has none.';
}

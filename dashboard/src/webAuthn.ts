/** Passkeys by way of the browser's own WebAuthn, whose failures become sentences here. */
import type { Answer, Input } from '@tapedeck/client';

/** Why there are none in this browser, at this address; null: there are. */
export function findPasskeyHindrance(isPossible: boolean): string | null {
  if (!window.isSecureContext)
    return 'Passkeys need an address with https, or localhost: browsers have none elsewhere.';
  if (!isPossible)
    return 'Passkeys need a public URL with https and a name: the setting TAPEDECK_PUBLIC_URL says otherwise.';
  const isKnown = 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
  return isKnown ? null : 'This browser knows no passkeys, or is too old for them.';
}

type CreationOptions = Answer<'beginPasskey'>['options'];
type Registration = NonNullable<Input<'addPasskey'>['body']>['credential'];

export async function makePasskey(options: CreationOptions): Promise<Registration> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  // As the browser writes it: the shape that the contract takes, and more.
  return (await ask(() => navigator.credentials.create({ publicKey }))).toJSON() as Registration;
}

type RequestOptions = Answer<'beginPasskeySignIn'>['options'];
type Assertion = NonNullable<Input<'signInByPasskey'>['body']>['credential'];

export async function askPasskey(options: RequestOptions): Promise<Assertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  // As above.
  return (await ask(() => navigator.credentials.get({ publicKey }))).toJSON() as Assertion;
}

async function ask(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let answer: Credential | null;
  try {
    answer = await question();
  } catch (error) {
    throw new Error(describe(error), { cause: error });
  }
  if (answer instanceof PublicKeyCredential) return answer;
  throw new Error('The browser gave no passkey.');
}

function describe(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'InvalidStateError') return 'This device has a passkey for your account already.';
  if (name === 'SecurityError')
    return 'This address is not the one that passkeys are for: open the public URL of the service.';
  return 'The passkey was not given: it was cancelled, or there is none here.';
}

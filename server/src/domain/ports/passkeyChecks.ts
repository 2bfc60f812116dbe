/** Port to the verification of authenticators' responses (WebAuthn). */
import type { Passkey } from './identity.ts';

/** The site and challenge that an authenticator answers. */
export type PasskeyPlace = { challenge: string; origin: string; host: string };

/** A response as browsers write it in JSON; texts are in base64url. */
export type RegistrationResponse = {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
};
export type SignInResponse = {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
};

export interface PasskeyChecks {
  /** The record of a new passkey; null when the answer is not for this site, or the authenticator did not verify the user. */
  checkRegistration(
    answer: RegistrationResponse,
    place: PasskeyPlace,
  ): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'> | null>;
  /** The new counter; null as above, and when the passkey has not signed, or has counted backwards. */
  checkSignIn(answer: SignInResponse, place: PasskeyPlace, passkey: Passkey): Promise<number | null>;
}

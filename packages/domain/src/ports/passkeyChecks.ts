/** Port to the verification of authenticators' responses (WebAuthn). */
import type { Passkey } from './identity.ts';

/** The site and challenge that an authenticator answers. */
export type PasskeyExpectation = { challenge: string; origin: string; host: string };

/** A response in the browsers' JSON format; texts are in base64url. */
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
  /** Returns the record of a new passkey; null if the response is for another site or the authenticator did not verify the user. */
  checkRegistration(
    answer: RegistrationResponse,
    place: PasskeyExpectation,
  ): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'> | null>;
  /** Returns the new counter; null as above, or if the passkey did not sign or its counter went backwards. */
  checkSignIn(answer: SignInResponse, place: PasskeyExpectation, passkey: Passkey): Promise<number | null>;
}

/** Port to an OpenID provider: returns the sign-in URL, and checks who came back. */

/** Ties the provider's answer to the request. The caller keeps it until then. */
export type ProviderQuestion = { state: string; nonce: string; verifier: string };

export type ProvidedIdentity = {
  issuer: string;
  subject: string;
  /** null unless the provider says that it verified the address. */
  email: string | null;
  /** The provider's name for the user. */
  name: string;
};

export interface IdentityProvider {
  /** The name on the button. */
  readonly name: string;
  /** Returns the provider's sign-in URL; the provider sends people back to `returnTo`. Fails with `provider_unavailable` if it is unreachable. */
  ask(question: ProviderQuestion, returnTo: string): Promise<string>;
  /**
   * Returns who came back to `address`. Fails with `provider_refused` if the provider refuses or the answer belongs to another request, and
   * with `provider_unavailable` if it is unreachable.
   */
  hear(question: ProviderQuestion, address: URL): Promise<ProvidedIdentity>;
}

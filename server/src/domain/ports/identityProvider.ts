/** Port to an OpenID provider: where to send people, and who came back. */

/** Ties the provider's answer to the request. The requester keeps it until then. */
export type ProviderQuestion = { state: string; nonce: string; verifier: string };

export type ProvidedIdentity = {
  issuer: string;
  subject: string;
  /** null unless the provider says that it is theirs. */
  email: string | null;
  /** The provider's name for the user. */
  name: string;
};

export interface IdentityProvider {
  /** The name on the button. */
  readonly name: string;
  /** The address of the provider to go to; it sends people back to `returnTo`. A provider that is away is `provider_unavailable`. */
  ask(question: ProviderQuestion, returnTo: string): Promise<string>;
  /**
   * Who has come back to `address`. What the provider refuses, and an answer to another question, is `provider_refused`; a provider that
   * is away is `provider_unavailable`.
   */
  hear(question: ProviderQuestion, address: URL): Promise<ProvidedIdentity>;
}

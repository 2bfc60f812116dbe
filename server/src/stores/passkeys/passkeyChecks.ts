/** Verifies authenticators' responses with a library that is loaded on first use. */
import type { PasskeyChecks } from '@tapedeck/domain/ports/passkeyChecks';

export const passkeyChecks: PasskeyChecks = {
  checkRegistration: async (answer, { challenge, origin, host }) => {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const found = await verifyRegistrationResponse({
      response: { ...answer, response: withoutTransports(answer.response), clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
    }).catch(() => null); // the library throws for every kind of failure
    if (!found?.verified) return null;
    const { id, publicKey, counter } = found.registrationInfo.credential;
    const transports = answer.response.transports ?? [];
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  },
  checkSignIn: async (answer, { challenge, origin, host }, { id, publicKey, counter }) => {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const found = await verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
      requireUserVerification: true,
    }).catch(() => null);
    return found?.verified ? found.authenticationInfo.newCounter : null;
  },
};

/** We store transports as the browser names them, including those that the library doesn't know. */
function withoutTransports({
  clientDataJSON,
  attestationObject,
}: Record<'clientDataJSON' | 'attestationObject', string>) {
  return { clientDataJSON, attestationObject };
}

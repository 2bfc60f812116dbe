/** The user's sign-in methods besides the password. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { makePasskey } from '../webAuthn.ts';

type AuthMethods = Answer<'getWaysIn'>;
export type FactorBeginning = Answer<'beginSecondFactor'>;

export const authMethodsQuery = queryOptions({
  queryKey: ['me', 'ways-in'],
  queryFn: ({ signal }) => api.getWaysIn({}, { signal }),
});

/** Changes a sign-in method, then refreshes their list. */
function useAuthMethodChange<Given, Answered>(change: (given: Given) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      // Not awaited, so that secrets shown once appear at once.
      void queries.invalidateQueries(authMethodsQuery);
    },
  });
}

/** Opens the sign-in provider to link an account. */
export function useLinking() {
  return useMutation({
    mutationFn: (password: string) => api.beginLinking({ body: { password } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

export function useUnlinking() {
  return useAuthMethodChange((identity: string) => api.unlinkIdentity({ params: { identity } }));
}

export type Passkey = AuthMethods['passkeys'][number];

export function usePasskeyAddition() {
  return useAuthMethodChange(async ({ password, name }: { password: string; name: string }) => {
    const { ticket, options } = await api.beginPasskey({ body: { password } });
    const credential = await makePasskey(options);
    return api.addPasskey({ body: { ticket, name, credential } });
  });
}

export function usePasskeyRemoval() {
  return useAuthMethodChange((passkey: string) => api.removePasskey({ params: { passkey } }));
}

export function useFactorBeginning() {
  return useMutation({
    mutationFn: (password: string) => api.beginSecondFactor({ body: { password } }),
  });
}

export function useFactorConfirmation() {
  return useAuthMethodChange((body: Input<'confirmSecondFactor'>['body']) =>
    api.confirmSecondFactor({ body }),
  );
}

export function useRecoveryCodes() {
  return useAuthMethodChange((body: Input<'renewRecoveryCodes'>['body']) => api.renewRecoveryCodes({ body }));
}

export function useFactorRemoval() {
  return useAuthMethodChange((body: Input<'disableSecondFactor'>['body']) =>
    api.disableSecondFactor({ body }),
  );
}

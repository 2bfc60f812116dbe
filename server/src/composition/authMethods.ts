/** Opens the sign-in methods besides passwords. */
import type { Config } from '../config.ts';
import { openIdProvider } from '../stores/openid/openIdProvider.ts';
import { passkeyChecks } from '../stores/passkeys/passkeyChecks.ts';

export function openAuthMethods({ provider }: Config) {
  const providerNewcomers = provider?.newcomers ?? ('none' as const);
  return { provider: provider && openIdProvider(provider), providerNewcomers, passkeyChecks };
}

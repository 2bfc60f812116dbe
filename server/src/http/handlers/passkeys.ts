/** Handles the passkey routes. */

import * as contract from '@tapedeck/contract/passkeys';
import * as passkeys from '@tapedeck/domain/identity/passkeys';
import type { Passkey } from '@tapedeck/domain/ports/identity';
import type { Static } from 'typebox';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type AccountDeps, visitorOf, welcome } from './accounts.ts';
import { writeInstant } from './jsonRecords.ts';

export type PasskeyRouteDeps = AccountDeps & passkeys.PasskeyDeps;

export function handlePasskeys(deps: PasskeyRouteDeps): HandledRoute[] {
  return [
    handle(contract.beginPasskey, async ({ body, caller, request }) => {
      const { address } = visitorOf(deps, request);
      return passkeys.beginRegistration(deps, caller, { ...body, address });
    }),
    handle(contract.addPasskey, async ({ body, caller }) => ({
      passkey: writePasskey(await passkeys.finishRegistration(deps, caller, body)),
    })),
    handle(contract.removePasskey, async ({ params, caller }) => {
      await passkeys.removePasskey(deps, caller, params.passkey);
      return ok;
    }),
    handle(contract.beginPasskeySignIn, async () => passkeys.beginPasskeySignIn(deps)),
    handle(contract.signInByPasskey, async ({ body, request, reply }) =>
      welcome(deps, reply, await passkeys.signInByPasskey(deps, visitorOf(deps, request), body)),
    ),
  ];
}

export function writePasskey({
  id,
  name,
  createdAt,
  lastUsedAt,
}: Passkey): Static<typeof contract.PasskeyRecord> {
  const used = lastUsedAt === null ? null : writeInstant(lastUsedAt);
  return { id, name, createdAt: writeInstant(createdAt), lastUsedAt: used };
}

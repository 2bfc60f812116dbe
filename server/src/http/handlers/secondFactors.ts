/** Handles the second factor routes. */
import * as contract from '@tapedeck/contract/secondFactors';
import * as factors from '@tapedeck/domain/identity/secondFactors';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type AccountDeps, visitorOf } from './accounts.ts';
import { writeInstant } from './jsonRecords.ts';
import { writePasskey } from './passkeys.ts';

export function handleSecondFactors(deps: AccountDeps): HandledRoute[] {
  const { read } = deps.store;
  return [
    handle(contract.getWaysIn, async ({ caller: { user } }) => {
      const factor = await read.secondFactors.find(user.id);
      return {
        hasPassword: user.passwordHash !== '',
        secondFactor: factor && {
          since: writeInstant(factor.createdAt),
          recoveryCodes: await read.secondFactors.countRecoveryCodes(user.id),
        },
        passkeys: (await read.passkeys.listOfUser(user.id)).map(writePasskey),
        identities: (await read.identities.listOfUser(user.id)).map(
          ({ id, issuer, label, createdAt, lastUsedAt }) => ({
            id,
            issuer,
            label,
            createdAt: writeInstant(createdAt),
            lastUsedAt: lastUsedAt === null ? null : writeInstant(lastUsedAt),
          }),
        ),
      };
    }),
    handle(contract.beginSecondFactor, async ({ body, caller, request }) => {
      const { address } = visitorOf(deps, request);
      const begun = await factors.beginSecondFactor(deps, caller, { ...body, address });
      return { ...begun, expiresAt: writeInstant(begun.expiresAt) };
    }),
    handle(contract.confirmSecondFactor, async ({ body, caller, request }) => {
      const who = { principal: caller, address: visitorOf(deps, request).address };
      return { recoveryCodes: await factors.confirmSecondFactor(deps, who, body) };
    }),
    handle(contract.renewRecoveryCodes, async ({ body, caller, request }) => {
      const { address } = visitorOf(deps, request);
      return { recoveryCodes: await factors.renewRecoveryCodes(deps, caller, { ...body, address }) };
    }),
    handle(contract.disableSecondFactor, async ({ body, caller, request }) => {
      const { address } = visitorOf(deps, request);
      await factors.disableSecondFactor(deps, caller, { ...body, address });
      return ok;
    }),
    handle(contract.resetSecondFactor, async ({ params, caller }) => {
      await factors.resetSecondFactor(deps, caller, params.user);
      return ok;
    }),
  ];
}

/** Handles the invitation routes. */

import * as contract from '@tapedeck/contract/invitations';
import * as joining from '@tapedeck/domain/identity/invitationAcceptance';
import * as invitations from '@tapedeck/domain/identity/invitations';
import type { TokenPrincipal, UserPrincipal } from '@tapedeck/domain/identity/principals';
import { limits } from '@tapedeck/domain/vocabulary';
import type { Static } from 'typebox';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type AccountDeps, visitorOf, welcome } from './accounts.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleInvitations(deps: AccountDeps): HandledRoute[] {
  return [...handleMaking(deps), ...handleUsing(deps)];
}

type Wishes = { email?: string; expiresIn?: number };

function handleMaking(deps: AccountDeps): HandledRoute[] {
  const make = async (
    caller: TokenPrincipal | UserPrincipal,
    place: invitations.NewInvitation['place'],
    {
      email = null,
      expiresIn = limits.invitationSecondsDefault,
    }: { [Key in keyof Wishes]: Wishes[Key] | null },
  ) => {
    const input = { place, email, lifeMs: 1000 * (expiresIn ?? 0) };
    const { invitation, secret } = await invitations.createInvitation(deps, caller, input);
    const url = `${deps.address.publicUrl}/invitation#${secret}`;
    return { invitation: writeInvitation({ invitation, state: 'open', usedBy: null }), secret, url };
  };
  return [
    handle(contract.listInvitations, async ({ params }) => ({
      invitations: (await invitations.listInvitations(deps, params.project)).map(writeInvitation),
    })),
    handle(contract.createInvitation, async ({ params: { project }, body: { role, ...wishes }, caller }) =>
      make(caller, { project, role }, wishes),
    ),
    handle(contract.revokeInvitation, async ({ params: { project, invitation: id }, caller }) => {
      await invitations.revokeInvitation(deps, caller, { project, id });
      return ok;
    }),
    handle(contract.listUserInvitations, async () => ({
      invitations: (await invitations.listInvitations(deps, null)).map(writeInvitation),
    })),
    handle(contract.createUserInvitation, async ({ body, caller }) => make(caller, null, body)),
    handle(contract.revokeUserInvitation, async ({ params, caller }) => {
      await invitations.revokeInvitation(deps, caller, { project: null, id: params.invitation });
      return ok;
    }),
  ];
}

function handleUsing(deps: AccountDeps): HandledRoute[] {
  return [
    handle(contract.readInvitation, async ({ body, request }) => {
      const { address } = visitorOf(deps, request);
      const { invitation, project } = await joining.readOffer(deps, address, body.secret);
      const { place, email, createdBy, expiresAt } = invitation;
      return {
        project: project?.slug ?? null,
        projectName: project?.name ?? null,
        role: place?.role ?? null,
        email,
        createdBy,
        expiresAt: writeInstant(expiresAt),
      };
    }),
    handle(contract.joinByInvitation, async ({ body, request, reply }) => {
      const input = { ...body, name: body.name ?? '' };
      return welcome(deps, reply, await joining.joinByInvitation(deps, visitorOf(deps, request), input));
    }),
    handle(contract.acceptInvitation, async ({ body, caller, request }) => {
      const { address } = visitorOf(deps, request);
      return { project: await joining.acceptInvitation(deps, caller, { secret: body.secret, address }) };
    }),
  ];
}

type Listed = Static<typeof contract.listInvitations.answer>['invitations'][number];

function writeInvitation({ invitation, state, usedBy }: invitations.ShownInvitation): Listed {
  const { id, place, email, createdAt, createdBy, expiresAt, used } = invitation;
  return {
    id,
    project: place?.project ?? null,
    role: place?.role ?? null,
    email,
    state,
    createdAt: writeInstant(createdAt),
    createdBy,
    expiresAt: writeInstant(expiresAt),
    usedAt: used && writeInstant(used.at),
    usedBy,
  };
}

/** Handles the routes of users and members. */
import * as contract from '@tapedeck/contract/users';
import * as members from '@tapedeck/domain/identity/members';
import * as users from '@tapedeck/domain/identity/users';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { listProjects } from '@tapedeck/domain/projects/projects';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeAccount, writeProjectRole } from './jsonRecords.ts';

export function handleUsers(deps: ManagementDeps): HandledRoute[] {
  const writeUser = async ({ user, memberships }: users.UserWithRoles) => {
    const projects = await listProjects(deps, { kind: 'service' });
    const roles = memberships.flatMap(({ project, role }) => {
      const found = projects.find(({ slug }) => slug === project);
      return found ? [writeProjectRole(found, role)] : [];
    });
    const factor = await deps.store.read.secondFactors.find(user.id);
    return { user: writeAccount(user), projects: roles, hasSecondFactor: factor !== null };
  };
  return [
    handle(contract.listUsers, async () => ({
      users: (await deps.store.read.users.list()).map(writeAccount),
    })),
    handle(contract.createUser, async ({ body, caller }) => {
      if ((body.project === undefined) !== (body.role === undefined)) {
        throw new ServiceError('invalid_field', 'Send both project and role, or neither.');
      }
      const membership = body.project && body.role ? { project: body.project, role: body.role } : null;
      const { email, password, name = '', isOwner = false } = body;
      return writeUser(await users.createUser(deps, caller, { email, password, name, isOwner, membership }));
    }),
    handle(contract.getUser, async ({ params }) => writeUser(await users.getUser(deps, params.user))),
    handle(contract.updateUser, async ({ params, query, body, caller }) =>
      writeUser(await users.updateUser(deps, caller, { id: params.user, changes: body, ...query })),
    ),
    handle(contract.deleteUser, async ({ params, query, caller }) => {
      const { tokens = 'revoke' } = query;
      return { ...ok, ...(await users.deleteUser(deps, caller, { id: params.user, tokens })) };
    }),
    ...handleMembers(deps),
  ];
}

function handleMembers(deps: ManagementDeps): HandledRoute[] {
  return [
    handle(contract.listMembers, async ({ params }) => ({
      members: await members.listMembers(deps, params.project),
    })),
    handle(contract.addMember, async ({ params, body, caller }) => ({
      member: await members.addMember(deps, caller, { project: params.project, ...body }),
    })),
    handle(contract.setMemberRole, async ({ params, body, caller }) => {
      const { role, tokens = 'revoke' } = body;
      const membership = { userId: params.user, project: params.project, role };
      return members.setMemberRole(deps, caller, { ...membership, tokens });
    }),
    handle(contract.removeMember, async ({ params, query, caller }) => {
      const { tokens = 'revoke' } = query;
      const which = { userId: params.user, project: params.project };
      return { ...ok, ...(await members.removeMember(deps, caller, { ...which, tokens })) };
    }),
  ];
}

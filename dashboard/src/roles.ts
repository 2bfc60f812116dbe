/** The permissions of each role. The service decides; this hides buttons that it would refuse. */
import { type Role, roles } from '@tapedeck/client';

/** Roles are listed from the most to the least powerful. */
export function isRoleAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

/** Nobody gives a role above their own. */
export function rolesUpTo(role: Role): readonly Role[] {
  return roles.slice(roles.indexOf(role));
}

/** Names a role as in “join as an admin”. */
export function nameRole(role: Role): string {
  return `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;
}

export const roleMeanings: Readonly<Record<Role, string>> = {
  owner: 'Everything, including deleting the project',
  admin: 'Settings, datasets, members, admin tokens, audit log',
  member: 'Files, saved views, notes, media and logs tokens',
  viewer: 'View only',
};

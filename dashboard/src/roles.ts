/** The permissions of each role. The service enforces them; this hides buttons it would refuse. */
import { type Role, roles } from '@tapedeck/client';

/** Roles are listed from most to least powerful. */
export function isRoleAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

/** Users cannot give a role above their own. */
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
  member: 'Files, saved views, notes, issues, media and logs tokens',
  viewer: 'View only',
};

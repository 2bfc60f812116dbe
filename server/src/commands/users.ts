/** `tapedeck user …`: lets the operator create users and reset passwords on this machine. */
import { createInterface } from 'node:readline/promises';
import { Misuse, printTable } from '@tapedeck/command-line';
import { resetSecondFactor } from '@tapedeck/domain/identity/secondFactors';
import { createUser, updateUser } from '@tapedeck/domain/identity/users';
import type { User } from '@tapedeck/domain/ports/metadata';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { findProjectCalled } from '@tapedeck/domain/projects/projects';
import { type Role, roles, ServiceError } from '@tapedeck/domain/vocabulary';
import { type Command, commandLine, withStore } from './command.ts';

export const userCreate: Command = {
  name: 'user create',
  usage: '--email E [--password P] [--name N] [--owner] [--project P --role owner|admin|member|viewer]',
  about: 'Create a user. Without --password, the password is read from standard input.',
  options: {
    email: { type: 'string', isRequired: true, about: 'email address of the user' },
    password: { type: 'string', about: 'visible to other users of the machine; prefer standard input' },
    name: { type: 'string', about: 'name of the user' },
    owner: { type: 'boolean', about: 'make the user an owner of the installation' },
    project: { type: 'string', about: 'add the user to this project' },
    role: { type: 'string', values: roles, about: 'role in that project' },
  },
  run: async (config, given) => {
    const email = given.text('email') ?? '';
    const place = readMembership(given.text('project'), given.text('role'));
    const password = given.text('password') ?? (await promptPassword());
    const input = {
      email,
      password,
      name: given.text('name') ?? '',
      isOwner: given.flag('owner'),
    };
    const { user } = await withStore(config, async deps => {
      const membership = place && { ...place, project: (await findProjectCalled(deps, place.project)).slug };
      return createUser(deps, commandLine, { ...input, membership });
    });
    const json = { id: user.id, email: user.email, name: user.name, isOwner: user.isOwner };
    return { text: `User ${user.email} is created.`, json };
  },
};

export const userList: Command = {
  name: 'user list',
  usage: '',
  about: 'List the users and their roles.',
  options: {},
  run: async config => {
    const json = await withStore(config, async ({ store: { read } }) =>
      Promise.all(
        (await read.users.list()).map(async ({ id, email, name, isOwner, createdAt }) => ({
          id,
          email,
          name,
          isOwner,
          createdAt: new Date(createdAt).toISOString(),
          roles: Object.fromEntries(
            (await read.memberships.listOfUser(id)).map(({ project, role }) => [project, role]),
          ),
        })),
      ),
    );
    const rows = json.map(({ id, email, name, isOwner, createdAt, roles: held }) => {
      const named = Object.entries(held).map(([project, role]) => `${role} of ${project}`);
      return [id, email, name, isOwner ? 'owner of the installation' : named.join(', '), createdAt];
    });
    return { text: printTable(['id', 'email', 'name', 'roles', 'created'], rows), json };
  },
};

export const userPassword: Command = {
  name: 'user password',
  usage: '--email E [--password P]',
  about: 'Set a new password for a user. Without --password, it is read from standard input.',
  options: {
    email: { type: 'string', isRequired: true, about: 'email address of the user' },
    password: { type: 'string', about: 'visible to other users of the machine; prefer standard input' },
  },
  run: async (config, given) => {
    const email = given.text('email') ?? '';
    const password = given.text('password') ?? (await promptPassword());
    const { user } = await withStore(config, async deps => {
      const known = await findByEmail(deps, email);
      return updateUser(deps, commandLine, { id: known.id, changes: { password } });
    });
    const json = { id: user.id, email: user.email };
    return { text: `User ${user.email} has the new password and is signed out everywhere.`, json };
  },
};

export const userSecondFactorOff: Command = {
  name: 'user second-factor-off',
  usage: '--email E',
  about: 'Switch off the second factor of a user who has lost it. The password stays.',
  options: { email: { type: 'string', isRequired: true, about: 'email address of the user' } },
  run: async (config, given) => {
    const email = given.text('email') ?? '';
    const user = await withStore(config, async deps => {
      const known = await findByEmail(deps, email);
      await resetSecondFactor(deps, commandLine, known.id);
      return known;
    });
    const json = { id: user.id, email: user.email };
    return { text: `User ${user.email} signs in by password alone.`, json };
  },
};

async function findByEmail({ store }: ManagementDeps, email: string): Promise<User> {
  const known = await store.read.users.findByEmail(email.toLowerCase());
  if (known === null) throw new ServiceError('not_found', `No user has the email address ${email}.`);
  return known;
}

function readMembership(
  project: string | undefined,
  text: string | undefined,
): { project: string; role: Role } | null {
  if (project === undefined && text === undefined) return null;
  const role = roles.find(known => known === text);
  if (project === undefined || role === undefined) {
    throw new Misuse(`--project and --role belong together; a role is one of ${roles.join(', ')}.`);
  }
  return { project, role };
}

/** Reads the first line of standard input. Without one, the password is empty and gets refused. */
async function promptPassword(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  if (process.stdin.isTTY) process.stderr.write('Password: ');
  for await (const line of lines) return line;
  return '';
}

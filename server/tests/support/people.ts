/** Creates users with sessions, tokens and projects, without the cost of real passwords. */
import { scryptSync } from 'node:crypto';
import * as projects from '@tapedeck/contract/projects';
import * as tokens from '@tapedeck/contract/tokens';
import { makeSession } from '@tapedeck/domain/identity/signIn';
import { defaultProject, type Role, type TokenKind } from '@tapedeck/domain/vocabulary';
import { newId } from '@tapedeck/values/random-ids';
import { cheapCost } from './cheapPasswords.ts';
import { type Client, withCookie } from './client.ts';
import type { TestService } from './service.ts';

export const password = 'correct horse battery';

/** The hash of `password`, made as the service makes it, at a thousandth of the cost. */
export const passwordHash = makeCheapHash();

function makeCheapHash(): string {
  const { N, r, p } = cheapCost;
  const salt = Buffer.alloc(16, 'salt');
  const key = scryptSync(password, salt, 32, { N, r, p });
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

export type Person = Client & { id: string; email: string; cookie: string; service: TestService };

type PersonInput = {
  isOwner?: boolean;
  roles?: Readonly<Record<string, Role>>;
  email?: string;
  /** Whether an owner has vouched for the address, as owners do for users they create. */
  isVerified?: boolean;
  name?: string;
};

let peopleCount = 0;

/** Adds a signed-in user. */
export async function addPerson(service: TestService, input: PersonInput = {}): Promise<Person> {
  const {
    isOwner = false,
    isVerified = true,
    roles = {},
    email = `person${++peopleCount}@example.org`,
  } = input;
  const now = service.clock.now();
  const verifiedEmail = isVerified ? email : null;
  const named = { email, verifiedEmail, name: input.name ?? email };
  const user = { id: newId(), ...named, passwordHash, isOwner, createdAt: now };
  const session = makeSession(user, { address: '192.0.2.1', userAgent: 'test', method: 'password' }, now);
  const store = await service.openStore();
  await store.write(async records => {
    await records.users.insert(user);
    for (const [project, role] of Object.entries(roles))
      await records.memberships.put({ userId: user.id, project, role });
    await records.signIns.insertSession(session.row);
  });
  const { secret: cookie } = session.given;
  return { ...withCookie(service, cookie), id: user.id, email, cookie, service };
}

export async function addProject(owner: Client, slug: string): Promise<string> {
  await owner.call(projects.createProject, { body: { name: slug, slug } });
  return slug;
}

export type TokenOptions = {
  kind?: TokenKind;
  project?: string;
  scopes?: string[];
  expiresAt?: string;
  name?: string;
};

/** Adds a token and returns it with its id. */
export async function addToken(
  maker: Client,
  { kind = 'media', project = defaultProject, ...options }: TokenOptions = {},
): Promise<{ token: string; id: string }> {
  const answer = await maker.call(tokens.createToken, { params: { project }, body: { kind, ...options } });
  return { token: answer.token, id: answer.record.id };
}

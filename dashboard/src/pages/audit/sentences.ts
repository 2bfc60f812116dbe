/** Tells an entry of the audit log as a sentence. Entries of a newer service are told in its own words. */
import type { AuditEntry } from '../../queries/audit.ts';

export type People = readonly { id: string; name: string; email: string }[];
export type Told = { actor: string; deed: string; details: string[] };

type Teller = (entry: AuditEntry, target: string) => string;

const deeds: Readonly<Record<string, Teller>> = {
  'installation.set_up': () => 'set up the installation',
  'user.sign_in': entry => `signed in from ${show(entry.details.address)}`,
  'user.create': entry => `created the user ${show(entry.details.email)}`,
  'user.update': (_, target) => `changed the user ${target}`,
  'user.delete': entry => `deleted the user ${show(entry.details.email)}`,
  'user.change_password': () => 'changed their password',
  'project.create': entry => `created the project ${entry.target}`,
  'project.update': () => 'changed the settings',
  'project.delete': entry => `deleted the project ${entry.target}`,
  'member.set': (entry, target) => `gave ${target} the role ${show(entry.details.role)}`,
  'member.remove': (_, target) => `removed ${target} from the project`,
  'token.create': entry => `created ${describeToken(entry)}`,
  'token.revoke': entry => `revoked ${describeToken(entry)}`,
};

/** What the sentence says already is not repeated below it. */
const told: Readonly<Record<string, readonly string[]>> = {
  'user.sign_in': ['address'],
  'user.create': ['email'],
  'user.delete': ['email'],
  'member.set': ['role'],
  'token.create': ['kind', 'name'],
  'token.revoke': ['kind', 'name'],
};

export function tellEntry(entry: AuditEntry, people: People): Told {
  const target = people.find(person => person.id === entry.target)?.name ?? entry.target;
  const teller = deeds[entry.action];
  const toldKeys = told[entry.action] ?? [];
  return {
    actor: describeActor(entry.actor, people),
    deed: teller ? teller(entry, target) : `${entry.action} ${target}`,
    details: Object.entries(entry.details)
      .filter(([key]) => !toldKeys.includes(key))
      .flatMap(([key, value]) => describeDetail(key, value)),
  };
}

/** The service writes `user <e-mail address>`, `token <prefix>…`, or who else it was. */
function describeActor(actor: string, people: People): string {
  if (actor === 'service') return 'The service';
  if (actor === 'command line') return 'Somebody at the command line';
  if (actor.startsWith('token ')) return `The ${actor}`;
  const email = actor.replace(/^user /, '');
  return people.find(person => person.email === email)?.name ?? email;
}

function describeToken({ details: { kind, name } }: AuditEntry): string {
  const article = kind === 'admin' ? 'an' : 'a';
  return name ? `the ${show(kind)} token “${show(name)}”` : `${article} ${show(kind)} token without a name`;
}

function describeDetail(key: string, value: unknown): string[] {
  if (value === false || (Array.isArray(value) && value.length === 0)) return [];
  if (Array.isArray(value) || typeof value !== 'object') return [`${key}: ${show(value)}`];
  if (value === null) return [`${key}: none`];
  return Object.entries(value).flatMap(([inner, each]) => describeDetail(`${key}.${inner}`, each));
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Writes an audit log entry as a sentence. Shows unknown actions of a newer service by their raw names. */

import { isolate } from '../../format/direction.ts';
import { shorten } from '../../format/names.ts';
import { countThings } from '../../format/numbers.ts';
import { formatBytes, formatLimit } from '../../format/sizes.ts';
import type { AuditEntry } from '../../queries/audit.ts';

export type People = readonly { id: string; name: string; email: string }[];
type DescribedEntry = { actor: string; deed: string; details: string[] };

const issueSignsMax = 80; // fits a line of the audit log

type WriteDeed = (entry: AuditEntry, target: string) => string;

const deeds: Readonly<Record<string, WriteDeed>> = {
  'installation.set_up': entry => `set up the installation, owned by ${show(entry.details.email)}`,
  'user.sign_in': entry => `signed in from ${show(entry.details.address)}${describeWay(entry.details.way)}`,
  'user.create': entry => `created the user ${show(entry.details.email)}`,
  'user.update': (_, target) => `changed the user ${target}`,
  'user.delete': entry => `deleted the user ${show(entry.details.email)}`,
  'user.change_password': () => 'changed their password',
  'user.second_factor_on': () => 'turned on a second factor',
  'user.second_factor_off': () => 'turned off their second factor',
  'user.second_factor_reset': (_, target) => `turned off the second factor of ${target}`,
  'user.passkey_add': entry => `added the passkey “${show(entry.details.name)}”`,
  'user.passkey_remove': entry => `removed the passkey “${show(entry.details.name)}”`,
  'user.identity_link': entry => `linked the account ${show(entry.details.label)} of the sign-in provider`,
  'user.identity_unlink': () => 'unlinked an account of the sign-in provider',
  'user.recovery_codes': () => 'created new recovery codes',
  'project.create': entry => `created the project ${isolate(entry.target)}`,
  'project.update': () => 'changed the settings',
  'project.delete': entry => `deleted the project ${isolate(entry.target)}`,
  'member.set': (entry, target) => `gave ${target} the role ${show(entry.details.role)}`,
  'member.remove': (_, target) => `removed ${target} from the project`,
  'invitation.create': ({ details: { email } }) =>
    email ? `invited ${show(email)}` : 'created an invitation link',
  'invitation.use': entry =>
    `accepted the invitation from ${show(entry.details.invitedBy).replace('user ', '')}`,
  'invitation.revoke': () => 'withdrew an invitation',
  'token.create': entry => `created ${describeToken(entry)}`,
  'token.revoke': entry => `revoked ${describeToken(entry)}`,
  'dataset.set': entry => `set how long the dataset ${isolate(entry.target)} is kept`,
  'dataset.delete': entry => `deleted the dataset ${isolate(entry.target)}`,
  'session.action': () => 'sent a command to a game server',
  'session.end': () => 'ended a live session',
  'file.upload': entry => `uploaded the file ${nameFile(entry)}`,
  'file.update': entry => `changed the file ${nameFile(entry)}`,
  'file.trash': entry => `moved the file ${nameFile(entry)} to the trash`,
  'file.restore': entry => `restored the file ${nameFile(entry)} from the trash`,
  'file.delete': entry => `deleted the file ${nameFile(entry)}`,
  'file.presign': ({ target, details: { name } }) => {
    if (name !== undefined) return `started uploading the file ${show(name)}`;
    return target ? `created an upload link for ${isolate(target)}` : 'created an upload link';
  },
  'folder.move': ({ target, details: { to, files } }) =>
    `moved the folder ${isolate(target)} to ${show(to)}, ${countThings(Number(files), 'file')}`,
  'evidence.create': entry =>
    entry.target ? `exported evidence of ${isolate(entry.target)}` : 'exported evidence',
  'issue.open': entry => `reopened ${nameIssue(entry)}`,
  'issue.resolved': entry => `marked ${nameIssue(entry)} as resolved`,
  'issue.ignored': entry => `marked ${nameIssue(entry)} as ignored`,
  'note.create': entry => `wrote a note about ${describeSubject(entry)}`,
  'note.update': entry => `edited a note about ${describeSubject(entry)}`,
  'note.delete': entry => `deleted a note about ${describeSubject(entry)}`,
  'log_view.create': entry => `saved the log view “${show(entry.details.name)}”`,
  'log_view.update': ({ details: { name, newName } }) =>
    newName === undefined
      ? `changed the log view “${show(name)}”`
      : `renamed the log view “${show(name)}” to “${show(newName)}”`,
  'log_view.delete': entry => `deleted the log view “${show(entry.details.name)}”`,
  'rule.create': entry => `created the rule “${show(entry.details.name)}”`,
  'rule.update': entry => `changed the rule “${show(entry.details.name)}”`,
  'rule.delete': entry => `deleted the rule “${show(entry.details.name)}”`,
  'channel.create': entry => `created the channel “${show(entry.details.name)}”`,
  'channel.update': entry => `changed the channel “${show(entry.details.name)}”`,
  'channel.rotate': entry => `gave the channel “${show(entry.details.name)}” a new secret`,
  'channel.switch_off': entry => `turned off the channel “${show(entry.details.name)}”`,
  'channel.delete': entry => `deleted the channel “${show(entry.details.name)}”`,
  'alert.acknowledge': entry =>
    entry.details.value === null
      ? `acknowledged the alert “${show(entry.details.name)}”`
      : `acknowledged the alert “${show(entry.details.name)}” for ${show(entry.details.value)}`,
  'delivery.repeat': () => 'resent a notification',
};

const channelActions = ['create', 'update', 'rotate', 'switch_off', 'delete'].map(deed => `channel.${deed}`);

/** Details to omit, because the sentence contains them. */
const shownDetails: Readonly<Record<string, readonly string[]>> = {
  'installation.set_up': ['email'],
  'user.sign_in': ['address', 'way'],
  'user.create': ['email'],
  'user.delete': ['email'],
  'user.passkey_add': ['name'],
  'user.passkey_remove': ['name'],
  'user.identity_link': ['label', 'email'],
  'member.set': ['role'],
  'invitation.create': ['email'],
  'invitation.use': ['invitedBy'],
  'token.create': ['kind', 'name'],
  'token.revoke': ['kind', 'name'],
  'file.upload': ['key', 'name'],
  'file.update': ['key', 'name'],
  'file.trash': ['key', 'name', 'sizeBytes'],
  'file.restore': ['key', 'name', 'sizeBytes'],
  'file.delete': ['key', 'name'],
  'file.presign': ['name'],
  'folder.move': ['to', 'files'],
  'alert.acknowledge': ['name', 'value'],
  'issue.open': ['pattern'],
  'issue.resolved': ['pattern'],
  'issue.ignored': ['pattern'],
  'note.create': ['kind', 'subject'],
  'note.update': ['kind', 'subject'],
  'note.delete': ['kind', 'subject'],
  'log_view.create': ['name'],
  'log_view.update': ['name', 'newName'],
  'log_view.delete': ['name'],
  ...Object.fromEntries(
    ['rule.create', 'rule.update', 'rule.delete', ...channelActions].map(action => [action, ['name']]),
  ),
};

export function describeEntry(entry: AuditEntry, people: People): DescribedEntry {
  const target = isolate(people.find(person => person.id === entry.target)?.name ?? entry.target);
  const writeDeed = deeds[entry.action];
  const shownKeys = shownDetails[entry.action] ?? [];
  return {
    actor: describeActor(entry.actor, people),
    deed: writeDeed ? writeDeed(entry, target) : `did ${entry.action} on ${target}`,
    details: listDetails(entry.details, shownKeys),
  };
}

type Details = Readonly<Record<string, unknown>>;

/** Shows old values beside changed ones. */
function listDetails({ before, ...now }: Details, shownKeys: readonly string[]): string[] {
  const isChange = typeof before === 'object' && before !== null;
  const old: Details = isChange ? { ...before } : {};
  return Object.entries(now).flatMap(([key, value]) => {
    if (key in old) return describeChange(key, old[key], value);
    const isPlain = shownKeys.includes(key) || (key === 'isOwner' && value === false);
    return isPlain ? [] : describeDetail(key, value);
  });
}

function describeChange(key: string, before: unknown, now: unknown): string[] {
  const said = describeDetail(key, now);
  const saidBefore = describeDetail(key, before);
  if (said.length === 1 && saidBefore.length === 1) return [joinChange(saidBefore[0], said[0])];
  // Of several values, as in a retention, lists the new and the removed ones.
  const names = new Set(said.map(nameOf));
  const gone = saidBefore.filter(each => !names.has(nameOf(each))).map(each => `${nameOf(each)}: none`);
  return [...said.filter(each => !saidBefore.includes(each)), ...gone];
}

function nameOf(detail: string): string {
  return detail.slice(0, detail.indexOf(': '));
}

/** `storage: 40 GiB → 50 GiB` */
function joinChange(before = '', now = ''): string {
  const name = now.slice(0, now.indexOf(': ') + 2);
  return before.startsWith(name) ? `${before} → ${now.slice(name.length)}` : now;
}

/** The service writes `user <email address>`, `token <prefix>…`, or another kind of actor. */
function describeActor(actor: string, people: People): string {
  if (actor === 'service') return 'The service';
  if (actor === 'command line') return 'Someone at the command line';
  if (actor.startsWith('token ')) return `The ${actor}`;
  const email = actor.replace(/^user /, '');
  return people.find(person => person.email === email)?.name ?? email;
}

/** Omits the usual way: a password alone. */
function describeWay(way: unknown): string {
  const known: Readonly<Record<string, string>> = {
    code: 'password and code',
    recovery_code: 'password and recovery code',
    passkey: 'passkey',
    provider: 'the sign-in provider',
  };
  const words = known[String(way)];
  return words === undefined ? '' : ` by ${words}`;
}

/** Older entries have only the key, which ends in the file's ID. */
function nameFile({ details: { name, key } }: AuditEntry): string {
  return show(name ?? key);
}

/** Older entries have only the pattern's digits. */
function nameIssue({ target, details: { pattern } }: AuditEntry): string {
  return typeof pattern === 'string'
    ? `the issue “${isolate(shorten(pattern, issueSignsMax))}”`
    : `the issue ${isolate(target)}`;
}

function describeSubject({ details: { kind, subject } }: AuditEntry): string {
  return `${show(kind)} ${show(subject)}`;
}

function describeToken({ details: { kind, name } }: AuditEntry): string {
  const article = kind === 'admin' ? 'an' : 'a';
  return name ? `the ${show(kind)} token “${show(name)}”` : `${article} ${show(kind)} token without a name`;
}

const words: Readonly<Record<string, string>> = {
  cdnDomain: 'CDN domain',
  cdnEnabled: 'CDN in use',
  bytesMax: 'storage',
  filesMax: 'files',
  isOwner: 'owner of the installation',
  minted: 'tokens it had created',
  retentionDays: 'days',
  mutedUntil: 'muted until',
  windowSeconds: 'window in seconds',
  uses: 'allowed uploads',
  subjects: 'pages for',
  sizeBytes: 'size',
  bytes: 'size',
};

function describeDetail(key: string, value: unknown): string[] {
  if (Array.isArray(value)) {
    const shown = value.map(key === 'subjects' ? showKind : show).join(', ');
    return value.length === 0 ? [] : [`${words[key] ?? key}: ${shown}`];
  }
  if (typeof value === 'object' && value !== null) {
    const isRetention = 'days' in value || 'folders' in value;
    return isRetention
      ? describeRetention(value)
      : Object.entries(value).flatMap(([inner, each]) => describeDetail(`${key}.${inner}`, each));
  }
  if (key === 'type' && value === null) return [];
  const isSize = key === 'sizeBytes' || key === 'bytes';
  if (isSize && typeof value === 'number') return [`${words[key] ?? key}: ${formatBytes(value)}`];
  if (typeof value === 'boolean') return [`${words[key] ?? key}: ${value ? 'yes' : 'no'}`];
  const shown = key === 'bytesMax' && typeof value === 'number' ? formatLimit(value) : show(value);
  return [`${words[key] ?? key}: ${value === null ? 'none' : shown}`];
}

/** The service writes rules as `{ days: { image, … }, folders: [{ prefix, days }] }`. */
function describeRetention(retention: { days?: unknown; folders?: unknown }): string[] {
  const types = Object.entries(retention.days ?? {}).map(([type, days]) => `${type}: ${showDays(days)}`);
  const folders = Array.isArray(retention.folders) ? retention.folders : [];
  return [...types, ...folders.map(rule => `${show(rule?.prefix)}: ${showDays(rule?.days)}`)];
}

function showDays(days: unknown): string {
  return typeof days === 'number' ? `${days} days` : 'forever';
}

/** `player (player.id, player.name)`: the kind of a subject, and what names it in the metadata. */
function showKind(subject: { kind?: unknown; idPaths?: unknown; namePaths?: unknown }): string {
  const paths = [subject.idPaths, subject.namePaths].flat().filter(path => typeof path === 'string');
  return isolate(`${String(subject.kind)} (${paths.join(', ')})`);
}

function show(value: unknown): string {
  return isolate(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
}

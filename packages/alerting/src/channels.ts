/** Adds, changes, tests and deletes a project's notification channels. */
import { listChanged } from '@tapedeck/values/changed-fields';
import { newId } from '@tapedeck/values/random-ids';
import { AlertingFailure, invalidFieldError } from './failures.ts';
import { alertLimits } from './kinds.ts';
import type { Clock } from './ports/clock.ts';
import type { Editor } from './ports/editor.ts';
import type { Notifier, Posted } from './ports/notifier.ts';
import type { AlertRecords, AlertStore, Channel } from './ports/records.ts';
import { removeDeliveries } from './removal.ts';

export type ChannelDeps = {
  store: AlertStore;
  clock: Clock;
  notifier: Notifier;
  address: { publicUrl: string };
};

const formerSecretMs = 86_400_000; // CONTRACT.md, 10

type ChannelPlace = { project: string; id: string };

/** Absent fields stay unchanged. */
type ChannelChanges = Partial<Pick<Channel, 'name' | 'target' | 'events' | 'severities'>> & {
  enabled?: boolean;
};

export async function createChannel(
  deps: ChannelDeps,
  editor: Editor,
  input: Pick<Channel, 'project' | 'name' | 'kind' | 'target' | 'events' | 'severities'>,
): Promise<Channel> {
  const { project, name, kind } = input;
  editor.requireRights(project);
  deps.notifier.check(input);
  requireEvents(input);
  return editor.change(async ({ records, now, madeBy, requireProject, audit }) => {
    await requireProject(project);
    if ((await records.channels.list(project)).length >= alertLimits.channelsMax) {
      throw new AlertingFailure(
        'invalid_field',
        `A project has at most ${alertLimits.channelsMax} channels; remove one first.`,
      );
    }
    const channel: Channel = {
      ...input,
      id: newId(),
      secret: kind === 'webhook' ? deps.notifier.makeSecret() : null,
      former: null,
      failingSince: null,
      heldUntil: null,
      off: null,
      createdAt: now,
      createdBy: madeBy,
    };
    await records.channels.insert(channel);
    await audit({ project, action: 'channel.create', target: channel.id, details: { name, kind } });
    return channel;
  });
}

export async function updateChannel(
  deps: ChannelDeps,
  editor: Editor,
  { enabled, ...input }: ChannelPlace & ChannelChanges,
): Promise<Channel> {
  const { project, id, ...changes } = input;
  editor.requireRights(project);
  return editor.change(async ({ records, now, audit }) => {
    const before = await requireChannel(records, { project, id });
    const reason = 'Switched off by hand.';
    const off = enabled === undefined ? before.off : enabled ? null : (before.off ?? { at: now, reason });
    const isRetargeted = (changes.target ?? before.target) !== before.target;
    const isRevived = enabled === true || isRetargeted;
    const channel = { ...before, ...changes, off, ...(isRevived && { failingSince: null, heldUntil: null }) };
    // A channel can be renamed even if its mail server no longer exists.
    if (isRetargeted) deps.notifier.check(channel);
    requireEvents(channel);
    await records.channels.update(channel);
    if (isRevived) await records.outbox.hasten(id, now);
    const changed = listChanged(describeChannel(before), describeChannel(channel));
    const details = { name: channel.name, ...changed, ...(isRetargeted && { target: 'another one' }) };
    if (changed !== null || isRetargeted)
      await audit({ project, action: 'channel.update', target: id, details });
    return channel;
  });
}

/** For the audit log. Leaves out the target, because it is a secret. */
function describeChannel({ name, events, severities, off }: Channel): object {
  return { name, enabled: off === null, events, severities };
}

export async function deleteChannel(deps: ChannelDeps, editor: Editor, place: ChannelPlace): Promise<void> {
  const { project, id } = place;
  editor.requireRights(project);
  await requireChannel(deps.store.read, place);
  await requireUnused(deps.store.read, place);
  await removeDeliveries(deps.store, id);
  await editor.change(async ({ records, audit }) => {
    const { name } = await requireChannel(records, place);
    await requireUnused(records, place);
    await records.channels.remove(id);
    await audit({ project, action: 'channel.delete', target: id, details: { name } });
  });
}

async function requireUnused(
  { rules }: Pick<AlertRecords, 'rules'>,
  { project, id }: ChannelPlace,
): Promise<void> {
  const users = (await rules.list(project)).filter(({ channels }) => channels.includes(id));
  if (users.length === 0) return;
  const named = users.map(rule => `“${rule.name}”`).join(', ');
  throw new AlertingFailure(
    'channel_in_use',
    `These rules notify this channel; remove it from them first: ${named}.`,
  );
}

/** Returns the receiver's response. */
export async function testChannel(
  deps: ChannelDeps,
  editor: Editor,
  { place, signal }: { place: ChannelPlace; signal: AbortSignal },
): Promise<Posted> {
  const { project } = place;
  editor.requireRights(project);
  const channel = await requireChannel(deps.store.read, place);
  const at = deps.clock.now();
  const url = `${deps.address.publicUrl}/projects/${project}`;
  const event = { type: 'channel.test', at, project, url, channel: channel.name } as const;
  const posted = await deps.notifier.post(channel, { id: newId(), event, at }, signal);
  if (posted.outcome === 'taken' && channel.failingSince !== null) await recordRecovery(deps, place);
  return posted;
}

/** Makes waiting notifications due at once. */
async function recordRecovery({ store, clock }: ChannelDeps, place: ChannelPlace): Promise<void> {
  await store.write(async ({ channels, outbox }) => {
    const channel = await requireChannel({ channels }, place);
    await channels.update({ ...channel, failingSince: null, heldUntil: null });
    await outbox.hasten(place.id, clock.now());
  });
}

/** Returns the new secret. */
export async function rotateChannel(deps: ChannelDeps, editor: Editor, place: ChannelPlace): Promise<string> {
  editor.requireRights(place.project);
  return editor.change(async ({ records, now, audit }) => {
    const before = await requireChannel(records, place);
    if (before.secret === null) throw invalidFieldError('kind', 'Only channels of kind webhook are signed.');
    const secret = deps.notifier.makeSecret();
    const former = { secret: before.secret, until: now + formerSecretMs };
    await records.channels.update({ ...before, secret, former });
    const { project, id, name } = before;
    await audit({ project, action: 'channel.rotate', target: id, details: { name } });
    return secret;
  });
}

function requireEvents({ kind, events }: Pick<Channel, 'kind' | 'events'>): void {
  if (kind === 'webhook' || events.length === 0) return;
  throw invalidFieldError(
    'events',
    'Only channels of kind webhook can have events; others are notified by rules.',
  );
}

/** A channel of another project is treated as absent. */
async function requireChannel(
  { channels }: Pick<AlertRecords, 'channels'>,
  place: ChannelPlace,
): Promise<Channel> {
  const channel = await channels.find(place.id);
  if (channel?.project === place.project) return channel;
  throw new AlertingFailure('not_found', 'There is no such channel; it may have been removed.');
}

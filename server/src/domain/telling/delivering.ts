/**
 * Takes what is to be told out of the outbox to its channels: in order for each rule, again and again for a day while the other side
 * cannot, and never more in a minute than somebody reads.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ToldChange, ToldEvent } from '@tapedeck/notifications';
import { newId } from '@tapedeck/random-ids';
import { recordAudit } from '../management.ts';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { Posted, Postman } from '../ports/postman.ts';
import type { Channel, Delivery } from '../ports/telling.ts';
import { OrderedIds } from './outbox.ts';

type DeliveringDeps = {
  store: MetadataStore;
  clock: Clock;
  postman: Postman;
  address: { publicUrl: string };
  report(error: unknown): void;
};

const lookIntervalMs = 500;
const channelsAtOnceMax = 8;
const pausesMs = [5_000, 25_000, 90_000, 300_000, 600_000, 1_200_000, 2_400_000]; // CONTRACT.md, 10.1: four attempts within 240 s
const pauseMsMax = 3_600_000;
const givenUpAfterMs = 86_400_000; // CONTRACT.md, 10
const notifications = { most: 10, spanMs: 60_000 }; // CONTRACT.md, 10.1
const recentMax = 50; // among the last of a channel are all of a minute: its limit, and events between them

/** Until the signal aborts. */
export async function deliver(deps: DeliveringDeps, signal: AbortSignal): Promise<void> {
  const rounds = new Map<string, Promise<void>>();
  const crowded = new Set<string>();
  while (!signal.aborted) {
    const pending = await deps.store.read.deliveries.listPending();
    for (const [id, waiting] of Map.groupBy(pending, ({ channel }) => channel)) {
      if (rounds.has(id) || rounds.size >= channelsAtOnceMax) continue;
      const due = listDue(waiting, deps.clock.now());
      if (due.length === 0) continue;
      const round = new ChannelRound(deps, { crowded, signal });
      const run = round.send(id, due).catch(error => {
        if (!signal.aborted) deps.report(error);
      });
      rounds.set(
        id,
        run.finally(() => rounds.delete(id)),
      );
    }
    await wait(lookIntervalMs, undefined, { ref: false, signal }).catch(() => {});
  }
  await Promise.all(rounds.values());
}

/** What of one rule waits for an earlier one is not due either. */
function listDue(waiting: readonly Delivery[], now: number): Delivery[] {
  const held = new Set<string>();
  return waiting.filter(({ rule, dueAt }) => {
    if (rule !== null && held.has(rule)) return false;
    if (dueAt <= now) return true;
    if (rule !== null) held.add(rule);
    return false;
  });
}

function isNotification({ type }: Pick<Delivery, 'type'>): boolean {
  return type.startsWith('rule');
}

/** Sends what is due through one channel. */
class ChannelRound {
  readonly #deps: DeliveringDeps;
  /** Channels for which more is waiting than they are told one by one. */
  readonly #crowded: Set<string>;
  readonly #signal: AbortSignal;

  constructor(deps: DeliveringDeps, { crowded, signal }: { crowded: Set<string>; signal: AbortSignal }) {
    this.#deps = deps;
    this.#crowded = crowded;
    this.#signal = signal;
  }

  async send(id: string, due: readonly Delivery[]): Promise<void> {
    const failed = new Set<string>();
    for (const delivery of await this.#choose(id, due)) {
      if (this.#signal.aborted) return;
      if (delivery.rule !== null && failed.has(delivery.rule)) continue;
      const channel = await this.#deps.store.read.channels.find(id);
      if (channel === null || channel.off !== null) return;
      const isOver = await this.#attempt(channel, delivery);
      if (!isOver && delivery.rule !== null) failed.add(delivery.rule);
    }
  }

  /** Events, and as many notifications as the minute has room for; what had to wait for room is told as one. */
  async #choose(id: string, due: readonly Delivery[]): Promise<Delivery[]> {
    const told = due.filter(isNotification);
    if (told.length === 0) return [...due];
    const room = notifications.most - (await this.#countRecent(told[0]!));
    const isCrowded = this.#crowded.has(id);
    if (room <= 0 || (told.length <= room && !isCrowded)) {
      if (room > 0) return [...due];
      this.#crowded.add(id);
      return due.filter(one => !isNotification(one));
    }
    if (!isCrowded) {
      this.#crowded.add(id);
      const now = new Set(told.slice(0, room));
      return due.filter(one => !isNotification(one) || now.has(one));
    }
    this.#crowded.delete(id);
    const waited = told.filter(({ attempts }) => attempts.length === 0);
    const merged = waited.length < 2 ? waited : [await this.#merge(waited)];
    return [...due.filter(one => !waited.includes(one)), ...merged];
  }

  async #countRecent({ project, channel }: Delivery): Promise<number> {
    const { store, clock } = this.#deps;
    const recent = await store.read.deliveries.list({
      project,
      channel,
      rule: null,
      beforeId: null,
      limit: recentMax,
    });
    const since = clock.now() - notifications.spanMs;
    const attempts = recent.filter(isNotification).flatMap(delivery => delivery.attempts);
    return attempts.filter(({ at }) => at > since).length;
  }

  async #merge(waited: readonly Delivery[]): Promise<Delivery> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const events = waited.map(({ event }) => JSON.parse(event) as ToldEvent); // written by `composeDeliveries`
    const { project, channel } = waited[0]!;
    const { url } = events[0]!;
    const event: ToldEvent = {
      type: 'rules.merged',
      at: now,
      project,
      url,
      changes: events.flatMap(listChanges),
    };
    const delivery: Delivery = {
      id: new OrderedIds(clock).next(),
      ...{ project, channel, rule: null, type: event.type, messageId: newId(), event: JSON.stringify(event) },
      ...{ state: 'pending', dueAt: now, attempts: [], createdAt: now, endedAt: null },
    };
    await store.write(async ({ deliveries }) => {
      await deliveries.insert([delivery]);
      for (const one of waited) await deliveries.update({ ...one, state: 'merged', endedAt: now });
    });
    return delivery;
  }

  /** What is written without an address is shown in the project. */
  #readEvent({ event, project }: Delivery): ToldEvent {
    const told = JSON.parse(event) as ToldEvent; // written by `composeDeliveries`, or beside a file or session
    const page = told.type.startsWith('session.') ? 'sessions' : 'files';
    return { ...told, url: told.url || `${this.#deps.address.publicUrl}/projects/${project}/${page}` };
  }

  /** Whether it was the last attempt. */
  async #attempt(channel: Channel, delivery: Delivery): Promise<boolean> {
    const { store, clock, postman } = this.#deps;
    const at = clock.now();
    const event = this.#readEvent(delivery);
    const message = { id: delivery.messageId, event, at };
    const { retryAfterMs, outcome, ...answer } = await postman.post(channel, message, this.#signal);
    const now = clock.now();
    const attempts = [...delivery.attempts, { at, ...answer }];
    const state = judgeOutcome(outcome, now - delivery.createdAt);
    const dueAt = now + choosePauseMs(attempts.length, retryAfterMs);
    const next = { ...delivery, attempts, state, dueAt, endedAt: state === 'pending' ? null : now };
    await store.write(async records => {
      await records.deliveries.update(next);
      // As it is by now: it may have been changed meanwhile.
      const present = await records.channels.find(channel.id);
      const changed = present && noteAnswer(present, { ...answer, outcome }, now);
      if (changed === null || changed === present) return;
      await records.channels.update(changed);
      if (changed.off === null) return;
      const { project, id: target, name, off } = changed;
      const line = { project, action: 'channel.switch_off', target, details: { name, reason: off.reason } };
      await recordAudit(records, { actor: { kind: 'service' }, now }, line);
    });
    return state !== 'pending';
  }
}

function judgeOutcome(outcome: Posted['outcome'], ageMs: number): Delivery['state'] {
  if (outcome === 'taken') return 'delivered';
  return outcome === 'failed' && ageMs < givenUpAfterMs ? 'pending' : 'failed';
}

function choosePauseMs(attempts: number, retryAfterMs: number | null): number {
  const pauseMs = pausesMs[attempts - 1] ?? pauseMsMax;
  return Math.min(Math.max(pauseMs, retryAfterMs ?? 0), pauseMsMax);
}

/** The channel itself where nothing changes. */
function noteAnswer(channel: Channel, answer: Pick<Posted, 'outcome' | 'status'>, now: number): Channel {
  if (answer.outcome === 'taken')
    return channel.failingSince === null ? channel : { ...channel, failingSince: null };
  if (channel.failingSince === null) return { ...channel, failingSince: now };
  if (channel.off !== null || now - channel.failingSince < givenUpAfterMs) return channel;
  const said = answer.status === null ? 'did not answer' : `answered ${answer.status}`;
  const reason = `Nothing was taken for a day; at last the other side ${said}.`;
  return { ...channel, off: { at: now, reason } };
}

function listChanges(event: ToldEvent): ToldChange[] {
  switch (event.type) {
    case 'rule.fired':
    case 'rule.resolved': {
      const { type, at, rule, value, count } = event;
      return [{ type, at, ruleId: rule.id, ruleName: rule.name, value, count }];
    }
    case 'rule.troubled': {
      const { type, at, rule } = event;
      return [{ type, at, ruleId: rule.id, ruleName: rule.name, value: null, count: 0 }];
    }
    case 'rules.merged':
      return [...event.changes];
    default:
      return [];
  }
}

/** Throttles a channel's alerts to ten a minute for each rule, in order, and merges the rest into one message that counts them. */
import type { MergedChange, MergedRulesEvent, NotificationEvent } from '@tapedeck/notifications';
import { OrderedIds } from '../outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { AlertRecords, AlertStore, Delivery } from '../ports/records.ts';
import { listDueTimes } from './attempts.ts';

type DigestDeps = { store: AlertStore; clock: Clock; address: { publicUrl: string } };

const notifications = { most: 10, spanMs: 60_000 }; // CONTRACT.md, 10.1
const dueMax = 100; // far more than one message reports
const mergedAtOnce = { rows: 500, batches: 20 }; // one transaction takes half a second; the next message holds the rest
const listedMax = 200; // changes that a message lists, of all that it counts: receivers refuse long bodies

export class Digest {
  readonly #deps: DigestDeps;
  readonly #ids: OrderedIds;
  /** Channels whose backlog is too large to send one by one. */
  readonly #backlogged = new Set<string>();
  /** When each channel got messages about rules, within the last minute. */
  readonly #attempts = new Map<string, number[]>();

  constructor(deps: DigestDeps) {
    this.#deps = deps;
    this.#ids = new OrderedIds(deps.clock);
  }

  async choose(channel: string, now: number): Promise<Delivery[]> {
    const { outbox } = this.#deps.store.read;
    const due = await outbox.listDue({ channel, times: listDueTimes(now), isOfRules: true, limit: dueMax });
    if (due.length === 0) return [];
    const allowance = notifications.most - (await this.#countRecent(channel, now));
    if (allowance <= 0) {
      if (due.some(isFresh)) this.#backlogged.add(channel);
      return [];
    }
    const barriers = findBarriers(await outbox.listBegun(channel));
    const ready = due.filter(one => mayGo(one, barriers)).sort(compareOrder);
    const fresh = ready.filter(isFresh);
    if (this.#backlogged.delete(channel) && fresh.length > 1) {
      const merged = await this.#merge(fresh[0]!, barriers);
      return [merged, ...ready.filter(one => !isFresh(one))].slice(0, allowance);
    }
    const chosen = ready.slice(0, allowance);
    if (fresh.some(one => !chosen.includes(one))) this.#backlogged.add(channel);
    return chosen;
  }

  recordAttempt(channel: string, at: number): void {
    const since = at - notifications.spanMs;
    const recent = (this.#attempts.get(channel) ?? []).filter(one => one > since && one <= at);
    this.#attempts.set(channel, [...recent, at]);
  }

  /** Counts notifications of other processes and earlier runs from the rows. */
  async #countRecent(channel: string, now: number): Promise<number> {
    const since = now - notifications.spanMs;
    const known = this.#attempts.get(channel);
    const recent = known ?? (await this.#deps.store.read.outbox.listAttempts(channel, since));
    this.#attempts.set(channel, [...recent]);
    return recent.filter(at => at > since && at <= now).length;
  }

  async #merge({ project, channel }: Delivery, barriers: Barriers): Promise<Delivery> {
    const { store, clock, address } = this.#deps;
    const now = clock.now();
    const id = this.#ids.next();
    const url = `${address.publicUrl}/projects/${project}/alerts`;
    return store.write(async ({ deliveries, outbox }) => {
      const about = { at: now, project, url };
      const event = await gather(outbox, { about, channel, barriers });
      const delivery: Delivery = {
        id,
        project,
        channel,
        rule: null,
        type: event.type,
        messageId: id,
        event: JSON.stringify(event),
        state: 'pending',
        dueAt: now,
        attempts: [],
        createdAt: now,
        endedAt: null,
      };
      await deliveries.insert([delivery]);
      return delivery;
    });
  }
}

type Gathering = {
  about: Pick<MergedRulesEvent, 'at' | 'project' | 'url'>;
  channel: string;
  barriers: Barriers;
};

/** Collects all notifications that await a first attempt, except those behind a barrier. */
async function gather(
  outbox: AlertRecords['outbox'],
  { about, channel, barriers }: Gathering,
): Promise<MergedRulesEvent> {
  const changes: MergedChange[] = [];
  const ruleIds = new Set<string>();
  const counts = { fired: 0, resolved: 0, troubled: 0 };
  let afterId = '';
  for (let batch = 0; batch < mergedAtOnce.batches; batch++) {
    const waiting = await outbox.listFresh({ channel, afterId, limit: mergedAtOnce.rows });
    if (waiting.length === 0) break;
    afterId = waiting.at(-1)!.id;
    const ready = waiting.filter(one => mayGo(one, barriers));
    for (const event of ready.map(readEvent)) {
      const eventChanges = countChanges(event);
      for (const kind of ['fired', 'resolved', 'troubled'] as const)
        counts[kind] += eventChanges.counts[kind];
      for (const rule of eventChanges.ruleIds) ruleIds.add(rule);
      changes.push(...eventChanges.changes.slice(0, listedMax - changes.length));
    }
    await outbox.endAsMerged(
      ready.map(({ id }) => id),
      about.at,
    );
  }
  return { type: 'rules.merged', ...about, changes, counts, ruleIds: [...ruleIds] };
}

/** The first unfinished notification of each rule; later ones wait for it. A merged notification counts for all of its rules. */
type Barriers = ReadonlyMap<string, string>;

function findBarriers(begun: readonly Delivery[]): Barriers {
  const barriers = new Map<string, string>();
  for (const one of begun.filter(each => !isRepeat(each)).sort(compareOrder)) {
    for (const rule of listRules(one)) if (!barriers.has(rule)) barriers.set(rule, one.id);
  }
  return barriers;
}

function mayGo(one: Delivery, barriers: Barriers): boolean {
  if (barriers.size === 0 || isRepeat(one)) return true;
  return listRules(one).every(rule => (barriers.get(rule) ?? one.id) >= one.id);
}

function listRules(one: Delivery): readonly string[] {
  if (one.rule !== null) return [one.rule];
  const event = readEvent(one);
  return event.type === 'rules.merged' ? event.ruleIds : [];
}

/** Whether a user requested the repeat. Such a notification does not wait and is not merged with others. */
function isRepeat({ id, messageId }: Delivery): boolean {
  return id !== messageId;
}

function isFresh(one: Delivery): boolean {
  return one.attempts.length === 0 && !isRepeat(one);
}

function compareOrder(one: Delivery, other: Delivery): number {
  const byHand = Number(isRepeat(other)) - Number(isRepeat(one));
  return byHand || (one.id < other.id ? -1 : 1);
}

function readEvent({ event }: Delivery): NotificationEvent {
  return JSON.parse(event) as NotificationEvent; // `composeDeliveries` or this file wrote it
}

type Counted = Pick<MergedRulesEvent, 'changes' | 'counts' | 'ruleIds'>;

function countChanges(event: NotificationEvent): Counted {
  const none = { fired: 0, resolved: 0, troubled: 0 };
  switch (event.type) {
    case 'rule.fired':
    case 'rule.resolved': {
      const { type, at, rule, value, count } = event;
      const changes = [{ type, at, ruleId: rule.id, ruleName: rule.name, value, count }];
      return { changes, counts: { ...none, [type.slice('rule.'.length)]: 1 }, ruleIds: [rule.id] };
    }
    case 'rule.troubled': {
      const { type, at, rule } = event;
      const changes = [{ type, at, ruleId: rule.id, ruleName: rule.name, value: null, count: 0 }];
      return { changes, counts: { ...none, troubled: 1 }, ruleIds: [rule.id] };
    }
    case 'rules.merged':
      return event;
    default:
      return { changes: [], counts: none, ruleIds: [] };
  }
}

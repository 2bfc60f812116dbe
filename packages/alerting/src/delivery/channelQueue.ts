/** Sends a channel's due deliveries, alerts before other events, until the receiver asks to slow down. */

import type { Clock } from '../ports/clock.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { AlertStore, Channel, Delivery } from '../ports/records.ts';
import { attemptDelivery, listDueTimes } from './attempts.ts';
import { Digest } from './digest.ts';

export type DeliveringDeps = {
  store: AlertStore;
  clock: Clock;
  notifier: Notifier;
  address: { publicUrl: string };
};

const eventsOfRound = 50; // then other channels have their turn
const roundMsMax = 15_000;

export class ChannelQueue {
  readonly #deps: DeliveringDeps;
  readonly #signals: { stopping: AbortSignal; ending: AbortSignal };
  readonly #digest: Digest;

  /** After `stopping`, nothing new begins; attempts in progress continue until `ending`. */
  constructor(deps: DeliveringDeps, signals: { stopping: AbortSignal; ending: AbortSignal }) {
    this.#deps = deps;
    this.#signals = signals;
    this.#digest = new Digest(deps);
  }

  async run(id: string): Promise<void> {
    const { stopping, ending } = this.#signals;
    const startedAt = performance.now();
    const waiting = new Set<string>(); // ids of rules
    for (const delivery of await this.#plan(id)) {
      if (delivery.rule !== null && waiting.has(delivery.rule)) continue;
      if (stopping.aborted || performance.now() - startedAt > roundMsMax) return;
      const channel = await this.#deps.store.read.channels.find(id);
      if (channel === null || !isOpen(channel, this.#deps.clock.now())) return;
      if (isOfRules(delivery)) this.#digest.recordAttempt(id, this.#deps.clock.now());
      const { isOver, goesOn } = await attemptDelivery(this.#deps, { channel, delivery }, ending);
      if (!isOver && delivery.rule !== null) waiting.add(delivery.rule);
      if (!goesOn) return;
    }
  }

  async #plan(channel: string): Promise<Delivery[]> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const notifications = await this.#digest.choose(channel, now);
    const about = { channel, times: listDueTimes(now), isOfRules: false, limit: eventsOfRound };
    return [...notifications, ...(await store.read.outbox.listDue(about))];
  }
}

function isOpen({ off, heldUntil }: Channel, now: number): boolean {
  return off === null && (heldUntil === null || heldUntil <= now || heldUntil > listDueTimes(now).latest);
}

function isOfRules({ type }: Delivery): boolean {
  return type.startsWith('rule');
}

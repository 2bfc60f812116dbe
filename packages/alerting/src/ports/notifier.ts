/** Port to the sender of notifications. */
import type { NotificationEvent } from '@tapedeck/notifications';
import type { Channel, DeliveryAttempt } from './records.ts';

/** The result of an attempt. */
export type Receipt = Omit<DeliveryAttempt, 'at' | 'tookMs'> & {
  /** A `failed` attempt may be repeated; a `refused` one will not be. */
  outcome: 'taken' | 'refused' | 'failed';
  /** Requested by the receiver; null if it did not ask. */
  retryAfterMs: number | null;
};

export type Posted = Receipt & Pick<DeliveryAttempt, 'tookMs'>;

/** `id` is the same for all attempts; `at` is the time of this one. */
export type Message = { id: string; event: NotificationEvent; at: number };

export interface Notifier {
  /** Throws `invalid_field` for a target that cannot or must not receive messages. Does not look up its name. */
  check(channel: Pick<Channel, 'kind' | 'target'>): void;
  makeSecret(): string;
  /** Returns every failure. Throws only the signal's reason. */
  post(channel: Channel, message: Message, signal: AbortSignal): Promise<Posted>;
}

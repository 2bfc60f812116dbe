/** The port to whoever takes notifications to their targets. */
import type { ToldEvent } from '@tapedeck/notifications';
import type { Channel, DeliveryAttempt } from './telling.ts';

export type Posted = Omit<DeliveryAttempt, 'at'> & {
  /** As the other side asked; null: it did not. */
  retryAfterMs: number | null;
};

export interface Postman {
  /** Throws `invalid_field` for a target to which nothing may be sent, as far as can be told without looking up its name. */
  check(channel: Pick<Channel, 'kind' | 'target'>): void;
  makeSecret(): string;
  /** Whatever goes wrong is the answer. Rejects with the signal's reason alone. `at` is the time of the attempt. */
  post(
    channel: Channel,
    message: { id: string; event: ToldEvent; at: number },
    signal: AbortSignal,
  ): Promise<Posted>;
}

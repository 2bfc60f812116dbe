/** The port to whatever carries letters to their targets: HTTP and mail. */
import type { ComposedMail, ComposedRequest } from '@tapedeck/notifications';

/** `messageId` is that of the delivery, the same for all attempts. */
export type Letter =
  | { kind: 'http'; target: string; request: ComposedRequest }
  | { kind: 'mail'; target: string; mail: ComposedMail; messageId: string };

/** What became of an attempt. */
export type Receipt = {
  /** `later`: another attempt may succeed; `refused`: none will. */
  outcome: 'delivered' | 'later' | 'refused';
  /** Of HTTP or SMTP; null: there was no answer. */
  status: number | null;
  /** The first KiB of the answer, or a sentence about why there was none. Holds nothing of the target but its host. */
  answer: string;
  /** How long the far side wants to be left alone. */
  retryAfterMs: number | null;
};

export interface Postman {
  /** Throws `invalid_field` for an address that is none, or private where that is not allowed, as far as can be said without asking anybody. */
  check(kind: Letter['kind'], target: string): void;
  /** Rejects with the signal's reason alone. */
  send(letter: Letter, signal: AbortSignal): Promise<Receipt>;
}

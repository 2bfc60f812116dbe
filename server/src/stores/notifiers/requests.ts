/** Posts a composed request to a web address and reads the response. */

import type { Receipt } from '@tapedeck/alerting';
import type { Clock } from '@tapedeck/domain/ports/clock';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { type ComposedRequest, readRetryAfter } from '@tapedeck/notifications';
import { type Outgoing, type OutgoingAnswer, OutgoingFailure } from '@tapedeck/outgoing/requests';
import { version } from '../../version.ts';
import { truncateAnswer } from './responses.ts';
import { hideTarget } from './targetSecrets.ts';

const searchedBytesMax = 16_384; // to search for secrets; far more than is stored

export function openRequests(outgoing: Outgoing, clock: Clock) {
  return {
    check: (target: string): void => {
      try {
        outgoing.check(target);
      } catch (error) {
        if (error instanceof OutgoingFailure) throw invalidFieldError('target', error.message);
        throw error;
      }
    },
    post: async (target: string, request: ComposedRequest, signal: AbortSignal): Promise<Receipt> => {
      // Some services refuse clients without a name.
      const headers = { 'user-agent': `Tapedeck/${version}`, ...request.headers };
      try {
        const sent = { method: 'POST', url: target, headers, body: request.body } as const;
        const receipt = readAnswer(await outgoing.send(sent, signal), clock.now());
        return { ...receipt, answer: truncateAnswer(hideTarget(receipt.answer, target)) };
      } catch (error) {
        if (!(error instanceof OutgoingFailure)) throw error;
        const isLasting = error.code === 'target_invalid' || error.code === 'target_private';
        const outcome = isLasting ? 'refused' : 'failed';
        return { outcome, status: null, answer: error.message, retryAfterMs: null };
      }
    },
  };
}

/** CONTRACT.md, 10: 429 and 5xx are retried; any other answer ends the delivery. */
function readAnswer({ status, headers, body }: OutgoingAnswer, now: number): Receipt {
  const isAccepted = status >= 200 && status < 300;
  const isLater = status === 429 || status >= 500;
  return {
    outcome: isAccepted ? 'taken' : isLater ? 'failed' : 'refused',
    status,
    answer: body.subarray(0, searchedBytesMax).toString(),
    retryAfterMs: isLater ? readRetryAfter(headers, body.toString(), now) : null,
  };
}

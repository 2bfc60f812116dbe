/** Shows a delivery: its message, receiver, outcome and attempts. */

import { countThings, formatCount } from '../../../format/numbers.ts';
import { formatDayTime, formatRelative } from '../../../format/times.ts';
import type { Delivery } from '../../../queries/deliveries.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { LongText } from '../../../ui/LongText.tsx';
import { eventNames } from './eventNames.ts';

const lamps: Readonly<Record<Delivery['state'], string>> = {
  pending: 'bg-accent',
  delivered: 'bg-good',
  failed: 'bg-danger-fill',
  merged: 'bg-edge',
};
const stateWords: Readonly<Record<Delivery['state'], string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  merged: 'Merged',
};

type DeliveryLineProps = {
  delivery: Delivery;
  /** null if it was deleted. */
  channel: string | null;
  rule: string | null;
  isRepeating: boolean;
  /** null if the user may only view. */
  onRepeat: (() => void) | null;
};

export function DeliveryLine({ delivery, channel, rule, isRepeating, onRepeat }: DeliveryLineProps) {
  const { createdAt, state, type } = delivery;
  const told = `${eventNames[type] ?? type} to ${channel ?? 'a deleted channel'}`;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 px-4 py-2.5 text-sm sm:px-5">
      <details className="group min-w-0">
        <summary className="flex min-h-8 list-none flex-wrap items-center gap-x-3 gap-y-0.5 rounded-md [&::-webkit-details-marker]:hidden">
          <Icon name="right" className="size-3 text-muted transition-transform group-open:rotate-90" />
          <time dateTime={createdAt} className="font-mono text-[0.8rem] text-muted tabular-nums">
            {formatDayTime(createdAt)}
          </time>
          <span className="inline-flex items-center gap-2">
            <span aria-hidden="true" className={`size-2 rounded-full ${lamps[state]}`} />
            {stateWords[state]}
          </span>
          <span className="min-w-0 wrap-anywhere">{told}</span>
          {rule !== null && <Badge>{rule}</Badge>}
          <span className="text-muted">{describeAttempts(delivery)}</span>
        </summary>
        <Attempts delivery={delivery} />
      </details>
      {onRepeat && state !== 'pending' && (
        <Button
          look="quiet"
          size="small"
          busy={isRepeating}
          aria-label={`Send again: ${told}, ${formatDayTime(createdAt)}`}
          onClick={onRepeat}
        >
          <Icon name="again" />
          <span className="phone:sr-only">Send again</span>
        </Button>
      )}
    </li>
  );
}

function describeAttempts({ attempts, state, dueAt }: Delivery): string {
  const last = attempts.at(-1);
  const next = state === 'pending' && last ? `, again ${formatRelative(dueAt, Date.now())}` : '';
  if (last === undefined) return '';
  const status = last.status === null ? 'no response' : `answered ${last.status}`;
  return `${attempts.length > 1 ? `${countThings(attempts.length, 'attempt')}, ` : ''}${status}${next}`;
}

function Attempts({ delivery: { attempts, messageId, state } }: Pick<DeliveryLineProps, 'delivery'>) {
  return (
    <div className="grid gap-2 pt-1 pb-2 pl-6">
      {attempts.length === 0 && (
        <p className="text-muted">
          {state === 'merged' ? 'Sent as part of another message.' : 'Not tried yet.'}
        </p>
      )}
      <ol aria-label="Attempts" className="grid gap-2">
        {attempts.map(({ at, status, answer, tookMs }) => (
          <li key={at} className="grid gap-1">
            <p>
              <time dateTime={at} className="font-mono text-[0.8rem] text-muted tabular-nums">
                {formatDayTime(at)}
              </time>{' '}
              {status === null ? 'No response' : `Status ${status}`}{' '}
              <span className="text-muted">in {formatCount(tookMs)} ms</span>
            </p>
            {answer !== '' && (
              <LongText
                as="pre"
                text={answer}
                className="rounded-lg border border-line bg-well px-3 py-2 font-mono text-[0.78rem]"
              />
            )}
          </li>
        ))}
      </ol>
      <p className="font-mono text-[0.74rem] wrap-anywhere text-muted">webhook-id {messageId}</p>
    </div>
  );
}

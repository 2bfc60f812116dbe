/** Shows a rule's state as a lamp with a word. */

import { formatCount } from '../../format/numbers.ts';
import { formatExact } from '../../format/times.ts';
import type { Rule } from '../../queries/rules.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { AcknowledgedBy } from './AcknowledgedBy.tsx';
import { isMuted } from './mute.ts';
import { firingSince, type RuleState, stateOf } from './ruleState.ts';

const lamps: Readonly<Record<RuleState, string>> = {
  firing: 'bg-danger-fill',
  troubled: 'bg-accent',
  quiet: 'bg-good',
  off: 'bg-edge',
};
const names: Readonly<Record<RuleState, string>> = {
  firing: 'Firing',
  troubled: 'Can’t be evaluated',
  quiet: 'OK',
  off: 'Off',
};

export function RuleStateBadge({ rule }: { rule: Rule }) {
  const mood = stateOf(rule);
  const since = firingSince(rule);
  const values = rule.firing.length;
  const acknowledged = rule.firing.find(one => one.acknowledged !== null)?.acknowledged;
  return (
    <div className="grid gap-0.5">
      <span
        className={`inline-flex items-center gap-2 ${mood === 'firing' ? 'font-medium text-danger' : ''}`}
      >
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${lamps[mood]}`} />
        {names[mood]}
        {mood === 'firing' && values > 1 && ` for ${formatCount(values)} values`}
      </span>
      {since !== null && (
        <span className="text-[0.82rem] text-muted">
          started <Timestamp at={since} />
        </span>
      )}
      {acknowledged && (
        <span className="text-[0.82rem] text-muted">
          <AcknowledgedBy {...acknowledged} />
        </span>
      )}
      {mood === 'troubled' && rule.trouble !== null && (
        <span className="max-w-72 text-[0.82rem] text-pretty text-muted">{rule.trouble}</span>
      )}
      {isMuted(rule, Date.now()) && rule.mutedUntil !== null && (
        <span className="inline-flex items-center gap-1.5 text-[0.82rem] text-muted">
          <Icon name="mute" className="size-3.5" />
          muted until {formatExact(rule.mutedUntil)}
        </span>
      )}
    </div>
  );
}

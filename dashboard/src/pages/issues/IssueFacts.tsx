/** Shows whom an issue affects, since when, and who handled it. */
import { countThings } from '../../format/numbers.ts';
import { formatExact } from '../../format/times.ts';
import type { Issue } from '../../queries/issues.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { MergedCount } from '../logs/patterns/MergedCount.tsx';

export function IssueFacts({ issue }: { issue: Issue }) {
  const { state, lastSeenAt, firstSeenAt } = issue;
  return (
    <>
      {state === 'returned' && <Badge look="accent">Came back</Badge>}
      <MergedCount found={issue} />
      <Affected issue={issue} />
      <Fact name="Last seen" at={lastSeenAt} />
      <Fact name="First seen" at={firstSeenAt} />
      <Decided issue={issue} />
    </>
  );
}

function Affected({ issue: { players, resources } }: { issue: Issue }) {
  return (
    <>
      {players !== null && players > 0 && <span>{countThings(players, 'player')}</span>}
      {resources > 1 && <span>{countThings(resources, 'resource')}</span>}
    </>
  );
}

function Fact({ name, at }: { name: string; at: string }) {
  return (
    <span title={formatExact(at)}>
      {name} <Timestamp at={at} />
    </span>
  );
}

function Decided({ issue: { state, decidedAt, decidedBy } }: { issue: Issue }) {
  if (decidedAt === null) return null;
  return (
    <span>
      {state === 'ignored' ? 'Ignored' : 'Resolved'} <Timestamp at={decidedAt} />
      {decidedBy !== null && ` by ${decidedBy.replace(/^user /, '')}`}
    </span>
  );
}

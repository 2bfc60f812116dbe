/** Whom a rule tells, and who made it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { channelsQuery } from '../../../queries/channels.ts';
import type { Rule } from '../../../queries/rules.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { nameActor } from '../AcknowledgedBy.tsx';
import { severityWords } from '../severities.ts';

export function RuleFacts({ project, rule }: { project: string; rule: Rule }) {
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const told = channels.filter(({ id }) => rule.channels.includes(id));
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-4">
      <Fact name="Notifies">
        <Link
          to="/projects/$project/alerts/channels"
          params={{ project }}
          className="underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          {told.length === 0 ? 'no one: choose a channel' : told.map(({ name }) => name).join(', ')}
        </Link>
      </Fact>
      <Fact name="Severity">{severityWords[rule.severity]}</Fact>
      <Fact name="Last fired">{rule.lastFiredAt ? <Timestamp at={rule.lastFiredAt} /> : 'never'}</Fact>
      <Fact name="Created">
        <Timestamp at={rule.createdAt} /> by {nameActor(rule.createdBy)}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-0.5">
      <dt className="engraved">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Shows a rule's channels and who created it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isolate } from '../../../format/direction.ts';
import { channelsQuery } from '../../../queries/channels.ts';
import { useProject } from '../../../queries/projects.ts';
import type { Rule } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { nameActor } from '../AcknowledgedBy.tsx';
import { severityWords } from '../severities.ts';

const linkStyle = 'underline decoration-edge underline-offset-3 hover:decoration-ink';

export function RuleFacts({ project, rule }: { project: string; rule: Rule }) {
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const told = channels.filter(({ id }) => rule.channels.includes(id));
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const names = new Intl.ListFormat('en').format(told.map(({ name }) => isolate(name)));
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-4">
      <Fact name="Notifies">
        {told.length > 0 && (
          <Link to="/projects/$project/alerts/channels" params={{ project }} className={linkStyle}>
            {names}
          </Link>
        )}
        {told.length === 0 && 'no one'}
        {told.length === 0 && mayChange && (
          <>
            {': '}
            <Link
              to="/projects/$project/alerts/$rule/edit"
              params={{ project, rule: rule.id }}
              className={linkStyle}
            >
              choose a channel
            </Link>
          </>
        )}
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

/** Shows a channel: whether it works, which events it receives, and its actions. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Channel, useChannelChange, useChannelTest } from '../../../queries/channels.ts';
import type { Rule } from '../../../queries/rules.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { ChannelMenu } from './ChannelMenu.tsx';
import { eventWords, kindWords } from './kinds.ts';
import { TestResult } from './TestResult.tsx';

type ChannelCardProps = { project: string; channel: Channel; rules: readonly Rule[]; mayChange: boolean };

export function ChannelCard({ project, channel, rules, mayChange }: ChannelCardProps) {
  const trial = useChannelTest(project);
  const change = useChannelChange(project);
  const [failure, setFailure] = useState<Error | null>(null);
  const { id, name, kind, target, enabled } = channel;
  const enable = (wanted: boolean) =>
    change.mutate(
      { id, changes: { enabled: wanted } },
      { onError: setFailure, onSuccess: () => setFailure(null) },
    );
  return (
    <li
      aria-label={name}
      className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-xl border border-line bg-panel px-5 py-4 shadow-panel"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
          <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
            <bdi className="wrap-anywhere">{name}</bdi> <Badge look="strong">{kindWords[kind].name}</Badge>
          </h2>
          <p className="font-mono text-[0.82rem] wrap-anywhere text-muted">{target}</p>
          <Uses project={project} channel={channel} rules={rules} />
        </div>
        {mayChange && (
          <div className="flex gap-2">
            <Button
              size="small"
              aria-label={`Test ${name}`}
              busy={trial.isPending}
              onClick={() => trial.mutate(id)}
            >
              {trial.isPending ? 'Sending…' : 'Test'}
            </Button>
            <ChannelMenu project={project} channel={channel} rules={rules} onEnable={enable} />
          </div>
        )}
      </div>
      {enabled ? (
        <Failing channel={channel} />
      ) : (
        <Off channel={channel} mayChange={mayChange} onEnable={enable} />
      )}
      {channel.warnings.map(({ code, message }) => (
        <Notice key={code} look="warning">
          {message}
        </Notice>
      ))}
      {(failure ?? trial.error) && <Notice look="error">{(failure ?? trial.error)?.message}</Notice>}
      {trial.data && !trial.isPending && <TestResult trial={trial.data} />}
    </li>
  );
}

function Failing({ channel: { failingSince } }: { channel: Channel }) {
  if (failingSince === null) return null;
  return (
    <Notice look="warning">
      Deliveries started to fail <Timestamp at={failingSince} />. They are retried for a day, then the channel
      is turned off.
    </Notice>
  );
}

type OffProps = { channel: Channel; mayChange: boolean; onEnable: (enabled: boolean) => void };

function Off({ channel: { name, offReason }, mayChange, onEnable }: OffProps) {
  return (
    <Notice look="warning">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span>Turned off: nothing is sent. {offReason}</span>
        {mayChange && (
          <Button size="small" aria-label={`Turn on again: ${name}`} onClick={() => onEnable(true)}>
            Turn on again
          </Button>
        )}
      </div>
    </Notice>
  );
}

function Uses({ project, channel: { events, severities }, rules }: Omit<ChannelCardProps, 'mayChange'>) {
  return (
    <p className="text-sm wrap-anywhere text-muted">
      {rules.length === 0 ? 'Not used by any rule yet' : 'Used by '}
      {rules.map((rule, index) => (
        <span key={rule.id}>
          {index > 0 && ', '}
          <Link
            to="/projects/$project/alerts/$rule"
            params={{ project, rule: rule.id }}
            className="underline decoration-edge underline-offset-3 hover:decoration-ink"
          >
            {rule.name}
          </Link>
        </span>
      ))}
      {severities.length > 0 && `; only alerts of severity ${severities.join(' or ')}`}
      {events.length > 0 && `; also when ${events.map(event => eventWords[event]).join(', ')}`}.
    </p>
  );
}

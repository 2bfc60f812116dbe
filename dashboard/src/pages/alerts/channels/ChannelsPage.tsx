/** Creates, tests, edits, switches and deletes a project's channels. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { channelsQuery } from '../../../queries/channels.ts';
import { useProject } from '../../../queries/projects.ts';
import { rulesQuery } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { AlertsHead } from '../AlertsHead.tsx';
import { ChannelCard } from './ChannelCard.tsx';
import { NewChannelDialog } from './NewChannelDialog.tsx';

export function ChannelsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/channels' });
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const { data: rules = [] } = useQuery(rulesQuery(project));
  const mayChange = isRoleAtLeast(useProject(project).role, 'admin');
  const [creating, setCreating] = useState(false);
  const newButton = mayChange && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New channel
    </Button>
  );
  return (
    <>
      <AlertsHead
        project={project}
        about="Where alerts are sent."
        actions={channels.length > 0 && newButton}
      />
      {channels.length === 0 ? (
        <EmptyState title="No channels yet" action={newButton}>
          {mayChange
            ? 'Discord, Slack, your own webhook, or email. Rules send a message when they fire and when they are resolved.'
            : 'Ask an admin to create one.'}
        </EmptyState>
      ) : (
        <ul aria-label="Channels" className="grid gap-3">
          {channels.map(channel => (
            <ChannelCard
              key={channel.id}
              project={project}
              channel={channel}
              rules={rules.filter(rule => rule.channels.includes(channel.id))}
              mayChange={mayChange}
            />
          ))}
        </ul>
      )}
      <NewChannelDialog project={project} open={creating} onClose={() => setCreating(false)} />
    </>
  );
}

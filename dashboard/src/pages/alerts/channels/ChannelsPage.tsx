/** The channels of a project: where its notifications go. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Empty } from '../../../parts/Empty.tsx';
import { channelsQuery } from '../../../queries/channels.ts';
import { countThings } from '../../../text/numbers.ts';
import { AlertsHead } from '../AlertsHead.tsx';

export function ChannelsPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/channels' });
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  return (
    <>
      <AlertsHead project={project} about="Where rules tell what happened." />
      <Empty title={channels.length === 0 ? 'No channels yet' : countThings(channels.length, 'channel')}>
        A channel is a Discord or Slack channel, a webhook of your own, or an e-mail address.
      </Empty>
    </>
  );
}

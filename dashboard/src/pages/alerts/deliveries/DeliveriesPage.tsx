/** What was told to the channels of a project in the last thirty days, and what they answered. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Empty } from '../../../parts/Empty.tsx';
import { PageReels } from '../../../parts/Reels.tsx';
import { Select } from '../../../parts/Select.tsx';
import { channelsQuery } from '../../../queries/channels.ts';
import { deliveriesQuery } from '../../../queries/deliveries.ts';
import { AlertsHead } from '../AlertsHead.tsx';
import { DeliveryList } from './DeliveryList.tsx';

export function DeliveriesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/deliveries' });
  const { channel } = useSearch({ from: '/inside/projects/$project/alerts/deliveries' });
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const navigate = useNavigate({ from: '/projects/$project/alerts/deliveries' });
  const found = useInfiniteQuery(deliveriesQuery(project, channel === undefined ? {} : { channel }));
  const isEmpty = found.data?.pages[0]?.deliveries.length === 0;
  return (
    <>
      <AlertsHead
        project={project}
        about="What was told in the last thirty days, and what the other side answered."
        actions={
          channels.length > 0 && (
            <span className="grid w-64 max-w-full">
              <Select
                aria-label="Channel"
                value={channel ?? ''}
                options={[
                  { value: '', label: 'All channels' },
                  ...channels.map(({ id, name }) => ({ value: id, label: name })),
                ]}
                onChange={chosen => void navigate({ search: chosen === '' ? {} : { channel: chosen } })}
              />
            </span>
          )
        }
      />
      {found.isPending && <PageReels />}
      {isEmpty && (
        <Empty title="Nothing told yet">
          {channel === undefined
            ? 'Whatever is told to a channel stands here, with each attempt and what the other side answered.'
            : 'Nothing was told to this channel in the last thirty days.'}
        </Empty>
      )}
      <DeliveryList project={project} found={found} namesRules />
    </>
  );
}

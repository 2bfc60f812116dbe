/** Lists the notifications of the last thirty days with the receivers' responses. */
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { channelsQuery } from '../../../queries/channels.ts';
import { deliveriesQuery } from '../../../queries/deliveries.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { PageSpinner } from '../../../ui/Spinner.tsx';
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
        about="Notifications of the last 30 days, with the responses."
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
      {found.isPending && <PageSpinner />}
      {isEmpty && (
        <EmptyState title="No notifications yet">
          {channel === undefined
            ? 'Each notification that a rule sends to a channel is listed here, with every attempt and its response.'
            : 'No notifications were sent to this channel in the last 30 days.'}
        </EmptyState>
      )}
      <DeliveryList project={project} found={found} namesRules />
    </>
  );
}

/** What was told to the channels of a project, and what they answered. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Empty } from '../../../parts/Empty.tsx';
import { deliveriesQuery } from '../../../queries/deliveries.ts';
import { countThings } from '../../../text/numbers.ts';
import { AlertsHead } from '../AlertsHead.tsx';

export function DeliveriesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/alerts/deliveries' });
  const { data } = useInfiniteQuery(deliveriesQuery(project, {}));
  const told = data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  return (
    <>
      <AlertsHead project={project} about="What was told in the last thirty days." />
      <Empty
        title={told.length === 0 ? 'Nothing told yet' : countThings(told.length, 'delivery', 'deliveries')}
      >
        Each notification stands here with what the other side answered.
      </Empty>
    </>
  );
}

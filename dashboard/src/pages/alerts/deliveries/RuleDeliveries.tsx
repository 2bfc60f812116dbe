/** Lists the notifications of one rule. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { deliveriesQuery } from '../../../queries/deliveries.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { DeliveryList } from './DeliveryList.tsx';

export function RuleDeliveries({ project, rule }: { project: string; rule: string }) {
  const found = useInfiniteQuery(deliveriesQuery(project, { rule }));
  const deliveries = found.data?.pages.flatMap(page => page.deliveries);
  return (
    <Panel title="Deliveries" about="Notifications sent for this rule, with the responses.">
      {deliveries === undefined && !found.error && <Spinner />}
      {deliveries?.length === 0 && <p className="text-sm text-muted">No notifications sent yet.</p>}
      <DeliveryList project={project} found={found} namesRules={false} />
    </Panel>
  );
}

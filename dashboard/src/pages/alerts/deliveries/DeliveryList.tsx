/** Lists deliveries, newest first. Each opens to show its attempts; users can repeat it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { channelsQuery } from '../../../queries/channels.ts';
import { type Delivery, useRepetition } from '../../../queries/deliveries.ts';
import { useProject } from '../../../queries/projects.ts';
import { rulesQuery } from '../../../queries/rules.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { DeliveryLine } from './DeliveryLine.tsx';

type DeliveryListProps = {
  project: string;
  found: {
    data: { pages: readonly { deliveries: readonly Delivery[] }[] } | undefined;
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  /** True if the list covers several rules and names them. */
  namesRules: boolean;
};

export function DeliveryList({ project, found, namesRules }: DeliveryListProps) {
  const { data: channels } = useSuspenseQuery(channelsQuery(project));
  const { data: rules } = useSuspenseQuery(rulesQuery(project));
  const mayRepeat = isRoleAtLeast(useProject(project).role, 'admin');
  const repetition = useRepetition(project);
  const deliveries = found.data?.pages.flatMap(page => page.deliveries) ?? [];
  const nameOf = (list: readonly { id: string; name: string }[], id: string | null) =>
    list.find(each => each.id === id)?.name ?? null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {(found.error ?? repetition.error) && (
        <Notice look="error">{(found.error ?? repetition.error)?.message}</Notice>
      )}
      {deliveries.length > 0 && (
        <ol
          aria-label="Deliveries"
          className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-panel shadow-panel"
        >
          {deliveries.map(delivery => (
            <DeliveryLine
              key={delivery.id}
              delivery={delivery}
              channel={nameOf(channels, delivery.channel)}
              rule={namesRules ? nameOf(rules, delivery.rule) : null}
              isRepeating={repetition.isPending && repetition.variables === delivery.id}
              onRepeat={mayRepeat ? () => repetition.mutate(delivery.id) : null}
            />
          ))}
        </ol>
      )}
      {found.hasNextPage && (
        <Button
          className="justify-self-center"
          busy={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show older
        </Button>
      )}
    </div>
  );
}

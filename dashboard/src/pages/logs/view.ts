/** The look of the list: choices for this search, and the user's preferences. */
import { useMemo } from 'react';
import { isZone, type Zone } from '../../format/times.ts';
import type { Order } from '../../queries/logs.ts';
import { readColumns } from './columns.ts';
import { usePreference } from './preferences.ts';
import { type LogSearch, orderOf } from './search.ts';

export type View = {
  order: Order;
  columns: readonly string[];
  zone: Zone;
  isCompact: boolean;
  isWrapped: boolean;
};

export function useView(search: LogSearch): View {
  const zone = useZone();
  const [density] = usePreference('density');
  const [wrapping] = usePreference('wrapping');
  const columns = useMemo(() => readColumns(search.columns), [search.columns]);
  const order = orderOf(search);
  const [isCompact, isWrapped] = [density === 'compact', wrapping === 'on'];
  // Keeps the same object, so that rows render again only if it changes.
  return useMemo(
    () => ({ order, columns, zone, isCompact, isWrapped }),
    [order, columns, zone, isCompact, isWrapped],
  );
}

export function useZone(): Zone {
  const [zone] = usePreference('zone');
  return zone === 'utc' || (zone !== null && isZone(zone)) ? zone : 'local';
}

/** Lists the filters besides the query, each with a button to remove it. */

import type { Zone } from '../../format/times.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { type LogSearch, withoutNarrowing } from './search.ts';
import { describeSpan } from './timeRangeText.ts';
import type { ChangeSearch } from './useLogSearch.ts';
import { useZone } from './view.ts';

type Filter = { name: string; value: string; without: LogSearch };

export function ActiveFilters({ search, onChange }: { search: LogSearch; onChange: ChangeSearch }) {
  const filters = listFilters(search, useZone());
  if (filters.length === 0) return null;
  const isMuch = filters.length + (search.query === undefined ? 0 : 1) > 1;
  const all: LogSearch = { ...withoutNarrowing(), from: undefined, to: undefined, entry: search.entry };
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Filters">
      {filters.map(({ name, value, without }) => (
        <li
          key={name}
          className="inline-flex max-w-full items-center gap-1 rounded-lg border border-edge bg-panel py-0.5 pr-0.5 pl-2.5 text-sm"
        >
          <span className="min-w-0 truncate font-mono text-[0.8rem]">
            <bdi className="text-muted">{name}</bdi> <bdi>{value}</bdi>
          </span>
          <button
            type="button"
            aria-label={`Remove filter ${name} ${value}`}
            onClick={() => onChange(without)}
            className="grid size-6 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
          >
            <Icon name="cross" className="size-3" />
          </button>
        </li>
      ))}
      {isMuch && (
        <li>
          <Button look="quiet" size="small" onClick={() => onChange(all)}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  );
}

function listFilters(search: LogSearch, zone: Zone): Filter[] {
  const { from, to } = search;
  const hasSpan = from !== undefined || to !== undefined;
  return [
    ...(hasSpan
      ? [{ name: 'time', value: describeSpan(search, zone), without: { from: undefined, to: undefined } }]
      : []),
  ];
}

/** Shows a value with its count. A click searches for it; the button beside it excludes it. */

import { isolate } from '../../../format/direction.ts';
import { formatCount, formatShort } from '../../../format/numbers.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { levelLooks } from '../levels.ts';
import { findAsked, toggleAlso, toggleNot, toggleOnly } from '../queryFilters.ts';
import type { ChangeSearch } from '../useLogSearch.ts';

type FacetValueProps = {
  name: string;
  value: string;
  count: number;
  /** Relative to the most frequent value, 0 to 1. */
  share: number;
  query: string;
  onChange: ChangeSearch;
};

export function FacetValue({ name, value, count, share, query, onChange }: FacetValueProps) {
  const asked = findAsked(query, name, value);
  const looks = name === 'level' ? levelLooks[value as keyof typeof levelLooks] : undefined; // a level's value is always a level
  return (
    <li className="group relative flex items-center rounded-md text-[0.82rem] hover:bg-ink/5">
      <span
        aria-hidden="true"
        className={`pointer-events-none absolute inset-y-0 left-0 rounded-md ${asked === 'only' ? 'bg-accent/15' : 'bg-ink/5'}`}
        style={{ width: `${100 * share}%` }}
      />
      <button
        type="button"
        aria-pressed={asked === 'only'}
        title={`${isolate(value)}: ${formatCount(count)}. Ctrl adds it to the selection.`}
        onClick={event => {
          const toggle = event.ctrlKey || event.metaKey ? toggleAlso : toggleOnly;
          onChange({ query: toggle(query, name, value) });
        }}
        className={`relative flex min-h-[26px] min-w-0 flex-1 items-center gap-1.5 rounded-md px-1.5 py-0.5 text-left
          aria-pressed:font-medium aria-pressed:text-accent ${asked === 'not' ? 'text-muted line-through' : ''}`}
      >
        {looks && <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${looks.fill}`} />}
        <bdi className={`min-w-0 flex-1 truncate ${value === '' ? 'text-muted italic' : ''}`}>
          {value || 'empty'}
        </bdi>{' '}
        <span className="font-mono text-[0.74rem] text-muted tabular-nums group-hover:pr-6 group-focus-within:pr-6 pointer-coarse:pr-6">
          {formatShort(count)}
        </span>
      </button>
      <button
        type="button"
        aria-label={`Not ${value || 'empty'}`}
        aria-pressed={asked === 'not'}
        title={`Not ${isolate(value)}`}
        onClick={() => onChange({ query: toggleNot(query, name, value) })}
        className="absolute right-0 grid size-[26px] place-items-center rounded-md text-muted opacity-0 group-hover:opacity-100
          hover:bg-ink/8 hover:text-ink focus-visible:opacity-100 aria-pressed:text-danger aria-pressed:opacity-100 pointer-coarse:opacity-100"
      >
        <Icon name="minus" className="size-3" />
      </button>
    </li>
  );
}

/** Shows a field with its number of entries, and its values below. */

import { isolate } from '../../../format/direction.ts';
import { formatCount, formatShort } from '../../../format/numbers.ts';
import type { LogField } from '../../../queries/logFields.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { FacetValues } from './FacetValues.tsx';
import type { FacetsProps } from './facetsProps.ts';

type FacetProps = FacetsProps & { field: LogField; isOpen: boolean; onOpen: (isOpen: boolean) => void };

export function Facet({ field, isOpen, onOpen, ...rest }: FacetProps) {
  const { name, entries, kind } = field;
  return (
    <section>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          title={entries > 0 ? `${isolate(name)}: in ${formatCount(entries)} entries` : isolate(name)}
          onClick={() => onOpen(!isOpen)}
          className="flex min-h-8 w-full items-center gap-2 px-3 py-1.5 text-left font-mono text-[0.78rem] hover:bg-ink/4"
        >
          <Icon
            name="right"
            className={`-ml-1 size-3 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
          />
          <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
          {entries > 0 && (
            <span aria-hidden="true" className="text-[0.72rem] text-muted tabular-nums">
              {formatShort(entries)}
            </span>
          )}
        </button>
      </h3>
      {isOpen && <FacetValues {...rest} name={name} isNumber={kind === 'number'} />}
    </section>
  );
}

/** Lists every field in the searched time; open ones show their values. A click on a value searches for it. */

import { memo, useDeferredValue, useMemo, useState } from 'react';
import type { LogField } from '../../../queries/logFields.ts';
import { isShownElsewhere } from '../../../queryBox/queryErrors.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { useFields } from '../fields.ts';
import { listFields } from '../queryFilters.ts';
import { Facet } from './Facet.tsx';
import type { FacetsProps } from './facetsProps.ts';
import { useOpenFacets } from './openFacets.ts';

const usualShownMax = 25; // already a long column; users find other fields by name
const everywhere: readonly LogField[] = ['level', 'resource'].map(name => ({
  name,
  kind: 'text',
  entries: 0,
}));
/** Fields that differ in nearly every entry, or that the page shows elsewhere. */
const elsewhere = ['body', 'traceId', 'parentId', 'dataset', 'pattern'];

export const Facets = memo(function Facets(props: FacetsProps) {
  const { project, search } = props;
  const [typed, setTyped] = useState('');
  const sought = useDeferredValue(typed.trim());
  const [showsAll, setShowAll] = useState(false);
  const { fields, isPending, error } = useFields(project, search, sought);
  const { isOpen, setOpen } = useOpenFacets();
  const chosen = useMemo(() => listFields(search.query ?? ''), [search.query]);
  const listed = useMemo(() => order(fields, chosen), [fields, chosen]);
  const found = listed.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()));
  const shown = showsAll || sought !== '' ? found : found.slice(0, usualShownMax);
  return (
    <div>
      <NameBox fields={listed.length} typed={typed} onType={setTyped} />
      <div className="divide-y divide-line border-t border-line">
        {shown.map(field => (
          <Facet
            key={field.name}
            {...props}
            field={field}
            isOpen={isOpen(field.name, chosen.includes(field.name))}
            onOpen={opened => setOpen(field.name, opened)}
          />
        ))}
      </div>
      <p role="status" className="px-3 py-2 text-[0.82rem] text-muted empty:hidden">
        {isPending && 'Looking for fields…'}
        {error && !isShownElsewhere(error, props.shownError) && error.message}
        {!isPending && shown.length === 0 && 'No matching fields.'}
      </p>
      {shown.length < found.length && (
        <button
          type="button"
          onClick={() => setShowAll(true)}
          className="w-full border-t border-line px-3 py-2 text-left text-[0.82rem] text-muted hover:bg-ink/4 hover:text-ink"
        >
          {found.length - shown.length} more fields
        </button>
      )}
    </div>
  );
});

type NameBoxProps = { fields: number; typed: string; onType: (typed: string) => void };

function NameBox({ fields, typed, onType }: NameBoxProps) {
  return (
    <div className="relative p-2">
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-4 size-3.5 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label="Find a field"
        placeholder={`Find in ${fields} fields`}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={event => onType(event.target.value)}
        className="h-8 w-full min-w-0 rounded-md border border-transparent bg-well/70 pr-1 pl-7 text-[0.82rem] placeholder:text-muted hover:border-line focus:border-edge"
      />
    </div>
  );
}

/** Puts levels first, then resources if there are any, then fields in the query, then the most frequent. */
function order(fields: readonly LogField[], chosen: readonly string[]): readonly LogField[] {
  const byName = new Map([...everywhere, ...fields].map(field => [field.name, field]));
  const narrowing = chosen.filter(name => !elsewhere.includes(name));
  const isEmpty = (name: string) =>
    name !== 'level' && fields.length > 0 && !fields.some(field => field.name === name);
  const first = everywhere.map(({ name }) => name).filter(name => !isEmpty(name));
  const names = new Set([...first, ...narrowing, ...fields.map(({ name }) => name)]);
  return [...names].map(name => byName.get(name) ?? { name, kind: 'text', entries: 0 });
}

/** Lists a field's values among the matches, to include or exclude. Less frequent ones are behind “More”. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { valuesQuery } from '../../../queries/logFields.ts';
import { isShownElsewhere, readBox } from '../../../queryBox/queryErrors.ts';
import { useDebouncedInput } from '../../../ui/hooks/useDebouncedInput.ts';
import { dropField } from '../queryFilters.ts';
import { composeLogQuestion, keyOf, type LogSearch } from '../search.ts';
import { writeChoice } from '../series/choice.ts';
import { FacetValue } from './FacetValue.tsx';
import type { FacetsProps } from './facetsProps.ts';

const fewShownMax = 8;
const answeredMax = 100; // the service's maximum

type FacetValuesProps = FacetsProps & { name: string; isNumber: boolean };

/** Counts values as if this field did not filter, so that its other values stay visible. */
export function FacetValues({ project, search, shownError, onChange, name, isNumber }: FacetValuesProps) {
  const { query = '' } = search;
  const [showsMore, setShowMore] = useState(false);
  const [prefix, setPrefix] = useState('');
  const others: LogSearch = { ...search, query: dropField(query, name) || undefined };
  // The query box shows the mistake; until the user fixes it there is nothing to query.
  const isMistaken = readBox(others.query ?? '', null).mistake !== null;
  const { data, error, isPlaceholderData } = useQuery({
    ...valuesQuery(project, {
      key: keyOf(others),
      question: () => composeLogQuestion(others, Date.now()),
      field: name,
      prefix: showsMore ? prefix : '',
      // Asks for one more than it shows, to learn whether there are more.
      limit: showsMore ? answeredMax : fewShownMax + 1,
      isFollowed: search.live !== undefined,
    }),
    enabled: !isMistaken,
  });
  const isShown = isMistaken || (error !== null && isShownElsewhere(error, shownError));
  if (data === undefined && (error || isMistaken))
    return <Aside>{isShown ? 'No counts' : error?.message}</Aside>;
  if (data === undefined) return <Aside>Counting…</Aside>;
  const shown = showsMore ? data : data.slice(0, fewShownMax);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 px-1.5 pb-2">
      {showsMore && <PrefixBox name={name} onChange={setPrefix} />}
      {shown.length === 0 && <Aside>{prefix === '' ? 'No values' : 'No matching values'}</Aside>}
      <ul
        aria-label={`Values of ${name}`}
        aria-busy={isPlaceholderData}
        className={`grid grid-cols-[minmax(0,1fr)] gap-px transition-opacity ${showsMore ? 'max-h-80 overflow-y-auto' : ''}
          ${isPlaceholderData || error ? 'outdated' : ''}`}
      >
        <Values values={shown} name={name} query={query} onChange={onChange} />
      </ul>
      <p className="flex flex-wrap gap-x-3 px-1.5">
        {(showsMore || data.length > fewShownMax) && (
          <Quiet
            onClick={() => setShowMore(!showsMore)}
            label={`${showsMore ? 'Fewer' : 'More'} values of ${name}`}
          >
            {showsMore ? 'Fewer' : 'More'}
          </Quiet>
        )}
        <Quiet onClick={() => onChange(draw(name, isNumber))} label={`Chart of ${name}`}>
          Chart
        </Quiet>
      </p>
    </div>
  );
}

type ValuesProps = {
  values: readonly { value: string; count: number }[];
  name: string;
  query: string;
  onChange: FacetsProps['onChange'];
};

function Values({ values, name, query, onChange }: ValuesProps) {
  const most = Math.max(1, ...values.map(({ count }) => count));
  return values.map(({ value, count }) => (
    <FacetValue
      key={value}
      name={name}
      value={value}
      count={count}
      query={query}
      onChange={onChange}
      share={count / most}
    />
  ));
}

function draw(name: string, isNumber: boolean): LogSearch {
  return writeChoice(
    isNumber ? { stat: 'p95', of: name, by: null, top: 5 } : { stat: 'count', of: null, by: name, top: 5 },
  );
}

function PrefixBox({ name, onChange }: { name: string; onChange: (prefix: string) => void }) {
  const { typed, setTyped } = useDebouncedInput('', onChange);
  return (
    <input
      type="search"
      aria-label={`Filter values of ${name}`}
      placeholder="Starts with"
      value={typed}
      autoComplete="off"
      spellCheck={false}
      onChange={event => setTyped(event.target.value)}
      className="h-7 w-full min-w-0 rounded-md border border-line bg-well/60 px-2 text-[0.8rem] placeholder:text-muted focus:border-edge"
    />
  );
}

function Quiet({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="min-h-[24px] text-[0.78rem] text-muted underline decoration-edge underline-offset-3 hover:text-ink"
    >
      {children}
    </button>
  );
}

function Aside({ children }: { children: ReactNode }) {
  return <p className="px-3 pb-2 text-[0.82rem] text-muted">{children}</p>;
}

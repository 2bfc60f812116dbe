/** Shown if nothing matches. Suggests queries that do. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countThings, formatCount } from '../../format/numbers.ts';
import { datasetsQuery } from '../../queries/datasets.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useEmptySuggestions } from './emptySuggestions.ts';
import { type LogSearch, narrows, withoutNarrowing } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';

type NoEntriesProps = { project: string; search: LogSearch; onChange: ChangeSearch };

export function NoEntries({ project, search, onChange }: NoEntriesProps) {
  const { data: datasets } = useQuery(datasetsQuery(project));
  if (datasets?.length === 0) {
    return (
      <EmptyState
        title="No entries yet"
        action={
          <Link
            to="/projects/$project/connect/{-$tool}"
            params={{ project }}
            className={styleButton({ look: 'primary' })}
          >
            Connect a tool
          </Link>
        }
      >
        Loggers, log shippers and games send entries with a logs token. Pick your tool to get its settings.
      </EmptyState>
    );
  }
  return <Nothing project={project} search={search} onChange={onChange} />;
}

/** An invalid query has no results to describe. */
export function WrongQuery() {
  return <EmptyState title="The query has a mistake">Correct it to see matching entries.</EmptyState>;
}

function Nothing({ project, search, onChange }: NoEntriesProps) {
  const { inAllTime, questions } = useEmptySuggestions(project, search);
  const isNarrowed = narrows(search);
  const isBounded = search.range !== 'all' || search.from !== undefined || search.to !== undefined;
  return (
    <EmptyState
      title="Nothing found"
      action={
        <div className="grid justify-items-center gap-4">
          {questions.length > 0 && (
            <ul aria-label="Suggested searches" className="flex max-w-full flex-wrap justify-center gap-2">
              {questions.map(({ query, count }) => (
                <li key={query} className="max-w-full">
                  <button
                    type="button"
                    onClick={() => onChange({ query })}
                    className="flex min-h-9 max-w-full flex-wrap items-baseline justify-center gap-x-3 rounded-lg border border-line bg-panel px-3 py-1.5
                      text-sm shadow-panel hover:border-edge"
                  >
                    <bdi className="font-mono text-[0.84rem] wrap-anywhere">{query}</bdi>{' '}
                    <span className="text-[0.82rem] text-muted">
                      {countThings(count, 'entry', 'entries')}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
          <div className="flex flex-wrap justify-center gap-2.5">
            {isBounded && inAllTime !== 0 && (
              <Button onClick={() => onChange({ range: 'all', from: undefined, to: undefined })}>
                Search all time
              </Button>
            )}
            {isNarrowed && <Button onClick={() => onChange(withoutNarrowing())}>Clear the search</Button>}
          </div>
        </div>
      }
    >
      {isNarrowed ? 'No matches.' : 'No entries in this time range.'}{' '}
      {inAllTime !== null && describeAllTime(inAllTime)}{' '}
      {questions.length > 0 && 'Did you mean one of these?'}
    </EmptyState>
  );
}

function describeAllTime(count: number): string {
  return count === 0 ? 'No matches in all time either.' : `${formatCount(count)} in all time.`;
}

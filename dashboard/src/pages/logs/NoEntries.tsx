/** What stands where no entry is found, and what leads to some. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, styleButton } from '../../parts/Button.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { datasetsQuery } from '../../queries/datasets.ts';
import { type LogSearch, narrows, withoutNarrowing } from './search.ts';
import type { ChangeSearch } from './searching.ts';

type NoEntriesProps = { project: string; search: LogSearch; onChange: ChangeSearch };

export function NoEntries({ project, search, onChange }: NoEntriesProps) {
  const { data: datasets } = useQuery(datasetsQuery(project));
  if (datasets?.length === 0) {
    return (
      <Empty
        title="No entries yet"
        action={
          <Link to="/projects/$project" params={{ project }} className={styleButton()}>
            First steps
          </Link>
        }
      >
        Programs write them with a logs token. The overview shows how to send the first one.
      </Empty>
    );
  }
  const isNarrowed = narrows(search);
  const isBounded = search.range !== 'all' || search.from !== undefined || search.to !== undefined;
  return (
    <Empty
      title="Nothing found"
      action={
        <div className="flex flex-wrap justify-center gap-2.5">
          {isBounded && (
            <Button onClick={() => onChange({ range: 'all', from: undefined, to: undefined })}>
              Search all time
            </Button>
          )}
          {isNarrowed && <Button onClick={() => onChange(withoutNarrowing())}>Clear the search</Button>}
        </div>
      }
    >
      {isNarrowed
        ? 'No entry matches. Try fewer words, more levels, or a longer time.'
        : 'No entry is of this time.'}
    </Empty>
  );
}

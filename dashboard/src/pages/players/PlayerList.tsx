/** Lists the players found, last seen first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isolate } from '../../format/direction.ts';
import { formatCount } from '../../format/numbers.ts';
import type { Project } from '../../queries/projects.ts';
import { type FoundSubject, foundSubjectsQuery } from '../../queries/subjects.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { useDebouncedValue } from '../../ui/hooks/useDebouncedValue.ts';
import { useLastError } from '../../ui/hooks/useLastFailure.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import type { PlayerSearch } from './search.ts';
import { nameSubject } from './subjectNames.ts';

const shownMax = 100; // typing narrows the service's list

type PlayerListProps = {
  project: Project;
  search: PlayerSearch;
  onChange: (change: PlayerSearch) => void;
};

export function PlayerList({ project, search, onChange }: PlayerListProps) {
  const q = useDebouncedValue(search.q?.trim() ?? '');
  const found = useQuery(foundSubjectsQuery(project.project, { q, limit: shownMax }));
  const { data } = found;
  const error = useLastError(found, q);
  return (
    <section className="grid gap-4" aria-label="Players">
      <TextField
        label="Find a player"
        hint="Part of an ID, or of any name they have used"
        type="search"
        value={search.q ?? ''}
        onChange={typed => onChange({ q: typed === '' ? undefined : typed })}
        autoComplete="off"
        spellCheck={false}
      />
      {error && <Notice look="error">{error.message}</Notice>}
      {!data && !error && <PageSpinner />}
      {data?.subjects.length === 0 && (
        <EmptyState title="No players found">No ID or name contains this text.</EmptyState>
      )}
      {data && data.subjects.length > 0 && (
        <>
          <DataTable
            label="Players"
            rows={data.subjects}
            columns={makeColumns(project, data.subjects)}
            rowId={({ kind, id }) => `${kind} ${id}`}
          />
          {data.total > data.subjects.length && (
            <p className="text-sm text-muted">{`Showing the ${formatCount(data.subjects.length)} most recently seen of ${formatCount(data.total)}. Type to find others.`}</p>
          )}
        </>
      )}
    </section>
  );
}

/** Hidden if no player had another name. */
const othersColumn: Column<FoundSubject> = {
  id: 'others',
  title: 'Earlier names',
  cell: ({ names }) =>
    names.length > 1 && (
      <span className="wrap-anywhere text-muted">
        {names
          .slice(1, 4)
          .map(({ name }) => isolate(name))
          .join(', ')}
      </span>
    ),
};

function makeColumns({ project, subjects }: Project, found: readonly FoundSubject[]): Column<FoundSubject>[] {
  const others = found.some(({ names }) => names.length > 1) ? [othersColumn] : [];
  const kinds: Column<FoundSubject>[] =
    subjects.length > 1
      ? [{ id: 'kind', title: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind }]
      : [];
  return [
    {
      id: 'name',
      title: 'Name',
      cell: subject => (
        <Link
          to="/projects/$project/players"
          params={{ project }}
          search={{ kind: subject.kind, id: subject.id }}
          className="inline-block min-h-6 font-medium leading-[24px] wrap-anywhere underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          <span className="line-clamp-2">{nameSubject(subject)}</span>
        </Link>
      ),
      sortBy: nameSubject,
    },
    ...others,
    {
      id: 'id',
      title: 'ID',
      cell: ({ id, otherIds = [] }) =>
        [id, ...otherIds].map((each, index) => (
          <code key={each} className={`block text-[0.82rem] wrap-anywhere ${index > 0 ? 'text-muted' : ''}`}>
            {each}
          </code>
        )),
    },
    ...kinds,
    {
      id: 'entries',
      title: 'Entries',
      cell: ({ entries }) => formatCount(entries),
      sortBy: ({ entries }) => entries,
    },
    { id: 'files', title: 'Files', cell: ({ files }) => formatCount(files), sortBy: ({ files }) => files },
    {
      id: 'seen',
      title: 'Last seen',
      cell: ({ lastSeenAt }) => <Timestamp at={lastSeenAt} />,
      sortBy: ({ lastSeenAt }) => lastSeenAt,
    },
  ];
}

/** Lists errors grouped by message, with the players and resources affected, until someone resolves them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount } from '../../format/numbers.ts';
import { type FoundIssues, type Issue, issuesQuery, useIssueDecision } from '../../queries/issues.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { IssueLine } from './IssueLine.tsx';
import { daysOffered, type IssueSearch, type OfferedDays, type ShownState, usualDays } from './search.ts';

const shownStates = ['open', 'resolved', 'ignored'] as const;
const dayNames: Readonly<Record<OfferedDays, string>> = {
  1: 'Last 24 hours',
  7: 'Last 7 days',
  30: 'Last 30 days',
};
const stateNames: Readonly<Record<ShownState, string>> = {
  open: 'Open',
  resolved: 'Resolved',
  ignored: 'Ignored',
};

const nothing: Readonly<Record<ShownState, { title: string; words: string }>> = {
  open: { title: 'No open issues', words: 'No errors in this time range, or all are resolved or ignored.' },
  resolved: { title: 'Nothing is resolved', words: 'A resolved issue comes back when it happens again.' },
  ignored: { title: 'Nothing is ignored', words: 'An ignored issue stays here, however often it happens.' },
};

/** undefined: no longer in the address. */
type Change = { [Key in keyof IssueSearch]: IssueSearch[Key] | undefined };

export function IssuesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/issues' });
  const search = useSearch({ from: '/inside/projects/$project/issues' });
  const navigate = useNavigate({ from: '/projects/$project/issues' });
  const change = (changed: Change) =>
    void navigate({ search: before => dropAbsent({ ...before, ...changed }), replace: true });
  const { state = 'open', days = usualDays, warnings } = search;
  const { data, error, isPlaceholderData } = useQuery(
    issuesQuery(project, { days: Number(days), withWarnings: warnings !== undefined }),
  );
  const decision = useIssueDecision(project);
  const { role } = useProject(project);
  const [mayDecide, mayAlert] = [isRoleAtLeast(role, 'member'), isRoleAtLeast(role, 'admin')];
  const shown = (data?.issues ?? []).filter(issue => readShownState(issue) === state);
  return (
    <>
      <PageHead
        title="Issues"
        about="Errors that say the same are one issue. Resolve it when it is fixed. It comes back if it happens again."
        actions={mayAlert && <AlertLink project={project} />}
      />
      <Controls search={search} data={data} onChange={change} />
      {error && <Notice look="error">{error.message}</Notice>}
      {decision.error && <Notice look="error">{decision.error.message}</Notice>}
      {data === undefined && !error && <PageSpinner />}
      {data !== undefined && shown.length === 0 && (
        <EmptyState title={nothing[state].title}>{nothing[state].words}</EmptyState>
      )}
      {shown.length > 0 && (
        <ul
          aria-label={`${stateNames[state]} issues`}
          aria-busy={isPlaceholderData}
          className={`rounded-xl border border-line bg-panel shadow-panel transition-opacity ${isPlaceholderData ? 'opacity-50' : ''}`}
        >
          {shown.map(issue => (
            <IssueLine
              key={issue.pattern}
              {...{ project, issue, days: Number(days), mayAlert }}
              isBusy={decision.isPending && decision.variables.pattern === issue.pattern}
              onDecide={
                mayDecide ? chosen => decision.mutate({ pattern: issue.pattern, state: chosen }) : null
              }
            />
          ))}
        </ul>
      )}
      {data !== undefined && <LeftOut {...data} />}
    </>
  );
}

function AlertLink({ project }: { project: string }) {
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ want: 'issue' }}
      className={styleButton({ size: 'small' })}
    >
      <Icon name="bell" />
      Alert me about new ones
    </Link>
  );
}

/** Returned issues count as open. */
function readShownState({ state }: Pick<Issue, 'state'>): ShownState {
  return state === 'returned' ? 'open' : state;
}

function dropAbsent(search: Change): IssueSearch {
  const { state, days, warnings } = search;
  return {
    ...(state !== undefined && { state }),
    ...(days !== undefined && { days }),
    ...(warnings !== undefined && { warnings }),
  };
}

type ControlsProps = {
  search: IssueSearch;
  data: FoundIssues | undefined;
  onChange: (change: Change) => void;
};

function Controls({ search, data, onChange }: ControlsProps) {
  const { state = 'open', days = usualDays, warnings } = search;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <StateTabs state={state} data={data} onChoose={chosen => onChange({ state: chosen })} />
      <Button
        size="small"
        aria-pressed={warnings !== undefined}
        className="ml-auto aria-pressed:border-accent"
        onClick={() => onChange({ warnings: warnings === undefined ? '1' : undefined })}
      >
        With warnings
      </Button>
      <Select
        small
        aria-label="Time"
        value={days}
        options={daysOffered.map(value => ({ value, label: dayNames[value] }))}
        onChange={chosen => onChange({ days: chosen === usualDays ? undefined : chosen })}
      />
    </div>
  );
}

type StateTabsProps = {
  state: ShownState;
  data: FoundIssues | undefined;
  onChoose: (state: Exclude<ShownState, 'open'> | undefined) => void;
};

function StateTabs({ state, data, onChoose }: StateTabsProps) {
  const count = (wanted: ShownState) => data?.issues.filter(issue => readShownState(issue) === wanted).length;
  return (
    <fieldset className="flex gap-1.5">
      <legend className="sr-only">State</legend>
      {shownStates.map(each => (
        <Button
          key={each}
          size="small"
          aria-pressed={each === state}
          className="aria-pressed:border-accent"
          onClick={() => onChoose(each === 'open' ? undefined : each)}
        >
          {stateNames[each]}
          {data !== undefined && (
            <span className="text-muted tabular-nums">{formatCount(count(each) ?? 0)}</span>
          )}
        </Button>
      ))}
    </fieldset>
  );
}

/** More patterns match than are listed. */
function LeftOut({ issues, total }: FoundIssues) {
  if (total <= issues.length) return null;
  return (
    <p className="mt-2 text-sm text-muted">
      The {formatCount(issues.length)} most frequent of {formatCount(total)}. Choose a shorter time range to
      see others.
    </p>
  );
}

/** Lists errors grouped by message, with the players and resources affected, until someone resolves them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount } from '../../format/numbers.ts';
import { type FoundIssues, issuesQuery } from '../../queries/issues.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { styleButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useLastError } from '../../ui/hooks/useLastFailure.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { PageSpinner } from '../../ui/Spinner.tsx';
import { DecideAll } from './DecideAll.tsx';
import { useDecisions } from './decisions.ts';
import { type IssueChange, IssueControls, stateNames } from './IssueControls.tsx';
import { IssueLine } from './IssueLine.tsx';
import { type IssueSearch, type ShownState, usualDays, usualSort } from './search.ts';
import { pickIssues } from './shownIssues.ts';

const nothing: Readonly<Record<ShownState, { title: string; words: string }>> = {
  open: {
    title: 'No open issues',
    words:
      'Log entries of level error appear here. There are none in this time range, or all are resolved or ignored.',
  },
  resolved: { title: 'No resolved issues', words: 'A resolved issue comes back when it happens again.' },
  ignored: { title: 'No ignored issues', words: 'An ignored issue stays here, however often it happens.' },
};

export function IssuesPage() {
  const { project } = useParams({ from: '/inside/projects/$project/issues' });
  const search = useSearch({ from: '/inside/projects/$project/issues' });
  const navigate = useNavigate({ from: '/projects/$project/issues' });
  const change = (changed: IssueChange) =>
    void navigate({ search: before => dropAbsent({ ...before, ...changed }), replace: true });
  const { state = 'open', days = usualDays, warnings, text = '', sort = usualSort } = search;
  const found = useQuery(issuesQuery(project, { days: Number(days), withWarnings: warnings !== undefined }));
  const { data, isPlaceholderData } = found;
  const error = useLastError(found, `${project} ${days} ${warnings}`);
  const { decide, pending, error: refusal } = useDecisions(project);
  const { role } = useProject(project);
  const [mayDecide, mayAlert] = [isRoleAtLeast(role, 'member'), isRoleAtLeast(role, 'admin')];
  const shown = pickIssues(data?.issues ?? [], { state, text, sort });
  return (
    <>
      <PageHead
        title="Issues"
        about="Errors with the same message are grouped into one issue. Resolve it when it is fixed. It comes back if it happens again."
        actions={mayAlert && <AlertLink project={project} />}
      />
      <IssueControls search={search} data={data} onChange={change} />
      {error && <Notice look="error">{error.message}</Notice>}
      {refusal && <Notice look="error">{refusal.message}</Notice>}
      {data === undefined && !error && <PageSpinner />}
      {data !== undefined && shown.length === 0 && <NoIssues state={state} text={text} />}
      {mayDecide && text !== '' && shown.length > 1 && (
        <DecideAll
          issues={shown}
          state={state}
          isBusy={pending.length > 0}
          onDecide={chosen => decide(shown, chosen)}
        />
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
              project={project}
              issue={issue}
              days={Number(days)}
              mayAlert={mayAlert}
              isBusy={pending.includes(issue.pattern)}
              onDecide={mayDecide ? chosen => decide([issue], chosen) : null}
            />
          ))}
        </ul>
      )}
      {data !== undefined && <LeftOut {...data} />}
    </>
  );
}

function NoIssues({ state, text }: { state: ShownState; text: string }) {
  const { title, words } = nothing[state];
  if (text === '') return <EmptyState title={title}>{words}</EmptyState>;
  return <EmptyState title="Nothing found">No issue here contains these words.</EmptyState>;
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

function dropAbsent(search: IssueChange): IssueSearch {
  const { state, days, warnings, text, sort } = search;
  return {
    ...(state !== undefined && { state }),
    ...(days !== undefined && { days }),
    ...(warnings !== undefined && { warnings }),
    ...(text !== undefined && { text }),
    ...(sort !== undefined && { sort }),
  };
}

/** Says that more patterns match than are listed. */
function LeftOut({ issues, total }: FoundIssues) {
  if (total <= issues.length) return null;
  return (
    <p className="mt-2 text-sm text-muted">
      The {formatCount(issues.length)} most frequent of {formatCount(total)}. Choose a shorter time range to
      see others.
    </p>
  );
}

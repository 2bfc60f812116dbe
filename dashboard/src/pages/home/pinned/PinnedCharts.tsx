/** Shows charts of pinned saved views to everyone in the project. Each links to its search. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type LogView, logViewsQuery } from '../../../queries/logViews.ts';
import { useProject } from '../../../queries/projects.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { ResultChart } from '../../logs/ResultChart.tsx';
import { type LogSearch, makeLogRequest, openView } from '../../logs/search.ts';
import { usePinning } from '../../logs/views/PinAction.tsx';
import { listPinned, pinsMax } from '../../logs/views/pins.ts';

export function PinnedCharts({ project }: { project: string }) {
  const { data: views = [] } = useQuery(logViewsQuery(project));
  const mayChange = isRoleAtLeast(useProject(project).role, 'member');
  const toggle = usePinning(project, views);
  const pinned = listPinned(views).slice(0, pinsMax);
  if (pinned.length === 0) return null;
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4" aria-label="Pinned charts">
      <h2 className="text-lg font-semibold tracking-tight">Pinned charts</h2>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 xl:grid-cols-2">
        {pinned.map(view => (
          <PinnedChart
            key={view.id}
            project={project}
            view={view}
            onRemove={mayChange ? () => toggle(view) : null}
          />
        ))}
      </div>
    </section>
  );
}

type PinnedChartProps = {
  project: string;
  view: LogView;
  /** null if the user may not remove it. */
  onRemove: (() => void) | null;
};

function PinnedChart({ project, view, onRemove }: PinnedChartProps) {
  const navigate = useNavigate();
  const search = openView(view);
  const open = (change: LogSearch) =>
    void navigate({
      to: '/projects/$project/logs',
      params: { project },
      search: { ...search, ...change },
    });
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] content-start gap-1.5" aria-label={view.name}>
      <div className="flex min-w-0 items-center justify-between gap-3">
        <Link
          to="/projects/$project/logs"
          params={{ project }}
          search={search}
          className="truncate leading-[24px] font-medium underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          <bdi>{view.name}</bdi>
        </Link>
        {onRemove && (
          <Button
            look="quiet"
            size="icon"
            aria-label={`Remove from Home: ${view.name}`}
            title="Remove from Home"
            onClick={onRemove}
          >
            <Icon name="cross" />
          </Button>
        )}
      </div>
      <ResultChart
        project={project}
        search={search}
        asking={makeLogRequest(search)}
        shownError={null}
        onChange={open}
        isPinned
      />
    </article>
  );
}

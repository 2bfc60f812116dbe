/** Pins the shown chart to Home: that of a saved view at once, another one under a name that describes it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type LogView, logViewsQuery } from '../../../queries/logViews.ts';
import { useProject } from '../../../queries/projects.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { type LogSearch, openView, writeView } from '../search.ts';
import { nameView, type SeriesChoice } from '../series/choice.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { usePinning } from './PinAction.tsx';
import { isPinned } from './pins.ts';
import { SaveViewDialog } from './SaveViewDialog.tsx';

type PinChartButtonProps = {
  project: string;
  search: LogSearch;
  chart: SeriesChoice;
  onChange: ChangeSearch;
};

export function PinChartButton({ project, search, chart, onChange }: PinChartButtonProps) {
  const { data: views = [] } = useQuery(logViewsQuery(project));
  const [isOpen, setOpen] = useState(false);
  const toggle = usePinning(project, views);
  if (!isRoleAtLeast(useProject(project).role, 'member')) return null;
  const view = findUnchanged(views, search);
  const words = view !== undefined && isPinned(view) ? 'Remove from Home' : 'Pin to Home';
  return (
    <>
      <Button
        look="quiet"
        size="small"
        className="shrink-0 phone:ml-auto"
        title={words}
        onClick={() => (view === undefined ? setOpen(true) : toggle(view))}
      >
        <Icon name="bookmark" />
        <span className="phone:sr-only">{words}</span>
      </Button>
      {isOpen && (
        <SaveViewDialog
          project={project}
          search={search}
          views={views}
          chart={nameView(chart, search)}
          onSaved={({ id }) => onChange({ view: id })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Returns the view that shows this chart. */
function findUnchanged(views: readonly LogView[], search: LogSearch): LogView | undefined {
  return views.find(view => writeView(openView(view)) === writeView(search));
}

/** Pins the shown chart to Home, under a name that describes it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { logViewsQuery } from '../../../queries/logViews.ts';
import { useProject } from '../../../queries/projects.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import type { LogSearch } from '../search.ts';
import { nameView, type SeriesChoice } from '../series/choice.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
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
  if (!isRoleAtLeast(useProject(project).role, 'member')) return null;
  return (
    <>
      <Button
        look="quiet"
        size="small"
        className="shrink-0 phone:ml-auto"
        title="Pin this chart to Home"
        onClick={() => setOpen(true)}
      >
        <Icon name="bookmark" />
        <span className="phone:sr-only">Pin to Home</span>
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

/** What can be done with a whole search: kept as a view, carried away as a file. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { addressOf } from '@tapedeck/client';
import { useState } from 'react';
import { styleButton } from '../../parts/Button.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { probeLogs } from '../../queries/logs.ts';
import { logViewsQuery } from '../../queries/logViews.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Menu, MenuAction, MenuLine, MenuLink } from '../../widgets/Menu.tsx';
import { KeysHelp } from './KeysHelp.tsx';
import { SaveViewDialog } from './SaveViewDialog.tsx';
import { askLogs, type LogSearch, orderOf, parseSearch, writeView } from './search.ts';

type PageActionsProps = {
  project: string;
  search: LogSearch;
  /** Why nothing is exported; null once it is. */
  onExportFailure: (words: string | null) => void;
};

export function PageActions(props: PageActionsProps) {
  return (
    <>
      <KeysHelp />
      <ViewsMenu {...props} />
      <ExportMenu {...props} />
    </>
  );
}

function ViewsMenu({ project, search }: Pick<PageActionsProps, 'project' | 'search'>) {
  const { data: views = [] } = useQuery(logViewsQuery(project));
  const [saving, setSaving] = useState(false);
  const mayChange = isRoleAtLeast(useProject(project).role, 'member');
  const current = views.find(view => writeView(parseSearch(view.query)) === writeView(search));
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" className={styleButton()}>
            <Icon name="bookmark" className={current ? 'text-accent' : ''} />
            <span className="max-w-40 truncate">{current?.name ?? 'Views'}</span>
          </button>
        }
      >
        {views.map(({ id, name, query }) => (
          <MenuLink
            key={id}
            to={<Link to="/projects/$project/logs" params={{ project }} search={parseSearch(query)} />}
          >
            <span className="min-w-0 truncate">{name}</span>
            {id === current?.id && <Icon name="check" className="ml-auto text-accent" />}
          </MenuLink>
        ))}
        {views.length === 0 && <p className="px-2.5 py-1.5 text-sm text-muted">No view is saved yet.</p>}
        <MenuLine />
        {mayChange && (
          <MenuAction onClick={() => setSaving(true)}>
            <Icon name="plus" />
            Save this search…
          </MenuAction>
        )}
        <MenuLink to={<Link to="/projects/$project/log-views" params={{ project }} />}>
          <Icon name="bars" />
          All views
        </MenuLink>
      </Menu>
      {saving && (
        <SaveViewDialog project={project} search={search} views={views} onClose={() => setSaving(false)} />
      )}
    </>
  );
}

const formats = [
  { format: 'ndjson', label: 'Lines of JSON' },
  { format: 'csv', label: 'CSV' },
] as const;

function ExportMenu({ project, search, onExportFailure }: PageActionsProps) {
  const carryAway = async (format: string) => {
    const question = askLogs(search, Date.now());
    // A download that is refused would say so nowhere.
    const words = await probeLogs(project, question).then(() => null, describeFailure);
    onExportFailure(words);
    if (words !== null) return;
    const link = document.createElement('a');
    link.href = addressOf('exportProjectLogs', {
      params: { project },
      query: { ...question, format, order: orderOf(search) },
    });
    link.download = `logs.${format}`;
    link.click();
  };
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className={styleButton()}>
          <Icon name="download" />
          Export
        </button>
      }
    >
      {formats.map(({ format, label }) => (
        <MenuAction key={format} onClick={() => void carryAway(format)}>
          <Icon name="download" />
          {label}
        </MenuAction>
      ))}
    </Menu>
  );
}

function describeFailure(error: unknown): string {
  return `Nothing was exported. ${error instanceof Error ? error.message : ''}`;
}

/** Actions on a whole search: save it as a view, export it. */
import { Link } from '@tanstack/react-router';
import { addressOf } from '@tapedeck/client';
import { probeLogs } from '../../queries/logs.ts';
import { useProject } from '../../queries/projects.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { styleButton } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu, MenuAction } from '../../ui/Menu.tsx';
import { KeysHelp } from './KeysHelp.tsx';
import { composeLogQuestion, type LogSearch, orderOf } from './search.ts';
import type { ChangeSearch } from './useLogSearch.ts';
import { ViewsMenu } from './views/ViewsMenu.tsx';

type PageActionsProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  /** Reports why an export failed; null once it succeeds. */
  onExportFailure: (words: string | null) => void;
};

export function PageActions(props: PageActionsProps) {
  return (
    <>
      <KeysHelp />
      <AlertLink {...props} />
      <ViewsMenu {...props} />
      <ExportMenu {...props} />
    </>
  );
}

/** Starts a rule with this query. Ignores the time range, because rules watch new entries. */
function AlertLink({ project, search }: PageActionsProps) {
  const mayMake = isRoleAtLeast(useProject(project).role, 'admin');
  if (!mayMake) return null;
  const { dataset, query } = search;
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ dataset, query }}
      className={styleButton()}
    >
      <Icon name="bell" />
      <span className="phone:sr-only">Alert me about this</span>
    </Link>
  );
}

const formats = [
  { format: 'ndjson', label: 'JSON lines' },
  { format: 'csv', label: 'CSV' },
] as const;

function ExportMenu({ project, search, onExportFailure }: PageActionsProps) {
  const carryAway = async (format: string) => {
    const question = composeLogQuestion(search, Date.now());
    // Checks first, because the browser does not report a failed download.
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
          <span className="phone:sr-only">Export</span>
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
  return `Export failed. ${error instanceof Error ? error.message : ''}`;
}

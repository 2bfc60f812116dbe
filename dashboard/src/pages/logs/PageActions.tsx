/** What can be done with a whole search: kept as a view, carried away as a file. */
import { addressOf } from '@tapedeck/client';
import { styleButton } from '../../parts/Button.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { probeLogs } from '../../queries/logs.ts';
import { Menu, MenuAction } from '../../widgets/Menu.tsx';
import { KeysHelp } from './KeysHelp.tsx';
import { askLogs, type LogSearch, orderOf } from './search.ts';
import type { ChangeSearch } from './searching.ts';
import { ViewsMenu } from './views/ViewsMenu.tsx';

type PageActionsProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
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
  return `Nothing was exported. ${error instanceof Error ? error.message : ''}`;
}

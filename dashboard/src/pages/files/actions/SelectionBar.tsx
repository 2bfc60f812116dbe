/** Actions for the selected files. Without a selection it shows the number of files found. */
import { countThings, formatCount } from '../../../format/numbers.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Button, styleButton } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction } from '../../../ui/Menu.tsx';
import type { Selection } from '../list/selection.ts';
import { writeChoice } from '../queryText.ts';
import type { FileSearch } from '../search.ts';
import { addressOfArchive } from './archive.ts';
import type { FileAction } from './fileActions.ts';
import { RestoreButton } from './RestoreButton.tsx';

type SelectionBarProps = {
  project: string;
  files: readonly FileRecord[];
  total: number;
  /** The search that found the files. */
  search: FileSearch;
  selection: Selection;
  isTrash: boolean;
  mayChange: boolean;
  onAsk: (action: FileAction, files: readonly FileRecord[]) => void;
  /** Loads the remaining files and selects all. */
  onChooseEverything: () => void;
};

export function SelectionBar(props: SelectionBarProps) {
  const { files, total, selection, mayChange } = props;
  const chosen = files.filter(({ id }) => selection.chosen.has(id));
  const isChoosing = selection.isChoosing || chosen.length > 0;
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1.5">
      <p className="mr-auto font-mono text-[0.78rem] text-muted tabular-nums" role="status">
        {isChoosing
          ? `${formatCount(chosen.length)} of ${formatCount(total)} selected`
          : countThings(total, 'file')}
      </p>
      {!isChoosing && <FoundButtons {...props} />}
      {isChoosing && (
        <>
          {chosen.length < total && (
            <Button look="quiet" size="small" onClick={props.onChooseEverything}>
              All {formatCount(total)}
            </Button>
          )}
          {chosen.length > 0 && (mayChange || !props.isTrash) && <ChosenButtons {...props} chosen={chosen} />}
          <Button size="small" onClick={selection.clear}>
            Done
          </Button>
        </>
      )}
    </div>
  );
}

function FoundButtons({ project, total, search, selection, isTrash }: SelectionBarProps) {
  return (
    <>
      {!isTrash && total > 0 && (
        <a
          className={styleButton({ look: 'quiet', size: 'small' })}
          href={addressOfArchive(project, search)}
          download
        >
          <Icon name="download" />
          ZIP
          <span className="sr-only"> of {countThings(total, 'file')}</span>
        </a>
      )}
      <Button look="quiet" size="small" onClick={() => selection.setChoosing(true)}>
        Select files
      </Button>
    </>
  );
}

type ChosenButtonsProps = SelectionBarProps & { chosen: readonly FileRecord[] };

function ChosenButtons(props: ChosenButtonsProps) {
  const { project, chosen, total, search, isTrash, mayChange, onAsk } = props;
  if (isTrash) return <TrashButtons {...props} />;
  const archived = chosen.length === total ? search : chooseFiles(chosen);
  return (
    <>
      {mayChange && (
        <Button look="quiet" size="small" onClick={() => onAsk('move', chosen)}>
          <Icon name="folder" />
          Move
        </Button>
      )}
      <CopyButton
        text={() => chosen.map(({ url }) => url).join('\n')}
        label={nameUrls(chosen.length)}
        showLabel
      />
      {archived === null ? (
        <Button size="small" look="quiet" disabled title="Select fewer files, or all of them.">
          <Icon name="download" />
          ZIP
        </Button>
      ) : (
        <a
          className={styleButton({ look: 'quiet', size: 'small' })}
          href={addressOfArchive(project, archived)}
          download
        >
          <Icon name="download" />
          ZIP
          <span className="sr-only"> of {countThings(chosen.length, 'selected file')}</span>
        </a>
      )}
      {mayChange && (
        <>
          <MoreMenu {...props} />
          <Button look="risky" size="small" onClick={() => onAsk('delete', chosen)}>
            <Icon name="bin" />
            Delete
          </Button>
        </>
      )}
    </>
  );
}

/** Returns null if the files are too many for one query. */
function chooseFiles(chosen: readonly FileRecord[]): FileSearch | null {
  const query = writeChoice(chosen.map(({ id }) => id));
  return query === null ? null : { query };
}

function nameUrls(count: number): string {
  return count === 1 ? 'Copy URL' : 'Copy URLs';
}

function MoreMenu({ chosen, onAsk }: ChosenButtonsProps) {
  return (
    <Menu
      align="end"
      trigger={
        <Button look="quiet" size="small" aria-label="More actions for the selected files">
          <Icon name="more" />
        </Button>
      }
    >
      {chosen.length === 1 && <MenuAction onClick={() => onAsk('rename', chosen)}>Rename…</MenuAction>}
      <MenuAction onClick={() => onAsk('metadata', chosen)}>Edit metadata…</MenuAction>
      <MenuAction onClick={() => onAsk('visibility', chosen)}>Public or private…</MenuAction>
      {chosen.length === 1 && <MenuAction onClick={() => onAsk('link', chosen)}>Signed link…</MenuAction>}
    </Menu>
  );
}

function TrashButtons({ project, chosen, onAsk, selection }: ChosenButtonsProps) {
  return (
    <>
      <RestoreButton project={project} files={chosen} look="quiet" onDone={selection.clear} />
      <Button look="risky" size="small" onClick={() => onAsk('deleteForever', chosen)}>
        <Icon name="bin" />
        Delete forever
      </Button>
    </>
  );
}

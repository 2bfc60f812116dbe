/** The files that were found: each opens, or, while one chooses, is taken into what is deleted together. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { countThings, formatCount } from '../../format/numbers.ts';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { Button } from '../../ui/Button.tsx';
import { usePageKeys } from '../../ui/hooks/usePageKeys.ts';
import { DeleteFilesDialog } from './DeleteFilesDialog.tsx';
import { FileGrid } from './FileGrid.tsx';
import { FileRows } from './FileRows.tsx';
import { MoreFiles } from './MoreFiles.tsx';

type FileResultsProps = {
  project: string;
  files: readonly FileRecord[];
  total: number;
  pages: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  isList: boolean;
  mayDelete: boolean;
  onOpen: (file: string) => void;
};

export function FileResults({ project, files, total, pages, isList, mayDelete, onOpen }: FileResultsProps) {
  const { chosen, setChosen, toggle } = useChoosing(files);
  const [deleting, setDeleting] = useState(false);
  const taken = files.filter(({ id }) => chosen?.has(id));
  const Files = isList ? FileRows : FileGrid;
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1.5">
        <p className="mr-auto font-mono text-[0.78rem] text-muted tabular-nums" role="status">
          {chosen ? `${formatCount(taken.length)} chosen` : countThings(total, 'file')}
        </p>
        {mayDelete && !chosen && (
          <Button look="quiet" size="small" onClick={() => setChosen(new Set())}>
            Choose files
          </Button>
        )}
        {chosen && (
          <>
            <Button look="quiet" size="small" onClick={() => setChosen(new Set(files.map(({ id }) => id)))}>
              All {formatCount(files.length)} shown
            </Button>
            <Button look="risky" size="small" disabled={taken.length === 0} onClick={() => setDeleting(true)}>
              Delete chosen…
            </Button>
            <Button size="small" onClick={() => setChosen(null)}>
              Done
            </Button>
          </>
        )}
      </div>
      <Files project={project} files={files} chosen={chosen} onPress={chosen ? toggle : onOpen} />
      <MoreFiles pages={pages} />
      <DeleteFilesDialog
        project={project}
        files={taken}
        open={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => setChosen(null)}
      />
    </>
  );
}

/** `chosen` null: files are opened. Escape ends the choosing; with Shift all between two presses are taken. */
function useChoosing(files: readonly FileRecord[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const last = useRef<string | null>(null);
  usePageKeys(chosen === null ? {} : { Escape: () => setChosen(null) });
  const toggle = (id: string, withShift: boolean) => {
    const between = withShift ? listBetween(files, last.current, id) : [];
    last.current = id;
    if (between.length > 0) setChosen(new Set([...(chosen ?? []), ...between]));
    else if (chosen?.has(id)) setChosen(new Set([...chosen].filter(each => each !== id)));
    else setChosen(new Set([...(chosen ?? []), id]));
  };
  return { chosen, setChosen, toggle };
}

/** Both ends included; nothing where one of them is not in the list. */
function listBetween(files: readonly FileRecord[], one: string | null, other: string): string[] {
  const ends = [one, other].map(end => files.findIndex(({ id }) => id === end));
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  return first < 0 ? [] : files.slice(first, last + 1).map(({ id }) => id);
}

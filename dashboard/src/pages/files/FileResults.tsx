/** The files that were found: each opens, or, while one chooses, is taken into what is deleted together. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/Button.tsx';
import type { FileRecord } from '../../queries/files.ts';
import { countThings, formatCount } from '../../text/numbers.ts';
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
  /** null: files are opened. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [deleting, setDeleting] = useState(false);
  const taken = files.filter(({ id }) => chosen?.has(id));
  const toggle = (id: string) => {
    const others = [...(chosen ?? [])].filter(each => each !== id);
    setChosen(new Set(chosen?.has(id) ? others : [...others, id]));
  };
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

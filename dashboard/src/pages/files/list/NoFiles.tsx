/** Shown if there are no files. */
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { ConnectLink } from '../../connect/ConnectLink.tsx';

type NoFilesProps = {
  project: string;
  isTrash: boolean;
  mayUpload: boolean;
  /** null if no filter is set. */
  onClear: (() => void) | null;
  /** True if the list is filtered by folder alone. */
  isFolder: boolean;
};

export function NoFiles({ project, isTrash, mayUpload, onClear, isFolder }: NoFilesProps) {
  if (onClear && isFolder) {
    return (
      <EmptyState title="No files here" action={<Button onClick={onClear}>All files</Button>}>
        {mayUpload ? 'Drop files here to upload them into this folder.' : 'This folder is empty.'}
      </EmptyState>
    );
  }
  if (onClear) {
    return (
      <EmptyState title="Nothing found" action={<Button onClick={onClear}>Clear the search</Button>}>
        No matching files. Try another folder, fewer words, or any type.
      </EmptyState>
    );
  }
  if (isTrash) return <EmptyState title="The trash is empty">Deleted files appear here.</EmptyState>;
  return (
    <EmptyState title="No files yet" action={<ConnectLink project={project} />}>
      {mayUpload
        ? 'Drop images, videos or audio here, or let a program upload them with a media token.'
        : 'Programs upload them with a media token; members can drop them here.'}
    </EmptyState>
  );
}

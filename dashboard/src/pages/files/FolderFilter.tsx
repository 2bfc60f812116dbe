/** Which folder is looked into: typed, with what lies next on the way proposed. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { foldersQuery } from '../../queries/files.ts';
import { TextFilter } from './TextFilter.tsx';

type FolderFilterProps = { project: string; folder: string; onChange: (folder: string) => void };

export function FolderFilter({ project, folder, onChange }: FolderFilterProps) {
  const [typed, setTyped] = useState(folder);
  const { data = [] } = useQuery(foldersQuery(project, splitPlace(typed)));
  return (
    <TextFilter
      label="Folder"
      placeholder="Any folder"
      icon="folder"
      value={folder}
      suggestions={data.map(({ path }) => path)}
      onTyped={setTyped}
      onChange={path => onChange(trimSlashes(path))}
    />
  );
}

/** `clips/ne` looks in `clips` for what begins with `ne`; a whole folder's name proposes its neighbours too. */
function splitPlace(typed: string): { path: string; prefix: string } {
  const path = typed.replace(/^\/+/, '');
  const slash = path.lastIndexOf('/');
  return { path: trimSlashes(path.slice(0, Math.max(slash, 0))), prefix: path.slice(slash + 1) };
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

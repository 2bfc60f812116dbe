/** A text field for a folder that suggests existing ones. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { foldersQuery } from '../../queries/folders.ts';
import { TextField } from '../../ui/forms/TextField.tsx';
import { splitPlace } from './box/fileValues.ts';

type FolderFieldProps = {
  project: string;
  hint: string;
  value: string;
  onChange: (path: string) => void;
};

export function FolderField({ project, hint, value, onChange }: FolderFieldProps) {
  const list = useId();
  const place = splitPlace(value);
  const isFolder = !place.path.split('/').some(name => name === '..' || name === '.');
  const { data: folders = [] } = useQuery({ ...foldersQuery(project, place), enabled: isFolder });
  return (
    <>
      <TextField
        label="Folder"
        hint={hint}
        mono
        value={value}
        onChange={onChange}
        placeholder="no folder"
        autoComplete="off"
        spellCheck={false}
        list={list}
      />
      <datalist id={list}>
        {folders.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}

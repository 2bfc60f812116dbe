/** Moves files into an existing or new folder. Their URLs stay. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { countThings } from '../../../format/numbers.ts';
import { FolderField } from '../FolderField.tsx';
import { EditsForm } from './EditsForm.tsx';
import type { ActionDialogProps } from './fileActions.ts';

export function MoveDialog(props: ActionDialogProps) {
  const { project, files } = props;
  const [path, setPath] = useState(files.length === 1 ? (files[0]?.path ?? '') : '');
  const folder = path.replace(/^\/+|\/+$/g, '');
  const navigate = useNavigate();
  const show = () =>
    void navigate({
      to: '/projects/$project/files',
      params: { project },
      search: folder === '' ? {} : { path: folder },
    });
  return (
    <EditsForm
      {...props}
      onShow={show}
      title={`Move ${countThings(files.length, 'file')}`}
      about="URLs stay the same."
      action="Move"
      done="moved"
      compose={() => ({ path: folder })}
    >
      <FolderField
        project={project}
        hint="Enter a new name to create a folder. Leave it empty for no folder."
        value={path}
        onChange={setPath}
      />
    </EditsForm>
  );
}

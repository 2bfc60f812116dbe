/** Renames a file. Its key and URLs stay. */
import { useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { TextField } from '../../../ui/forms/TextField.tsx';
import { EditsForm } from './EditsForm.tsx';
import type { ActionDialogProps } from './fileActions.ts';

export function RenameDialog({ file, ...props }: ActionDialogProps & { file: FileRecord }) {
  const [filename, setFilename] = useState(file.filename);
  return (
    <EditsForm
      {...props}
      files={[file]}
      title="Rename file"
      about="URLs stay the same."
      action="Rename"
      done="renamed"
      compose={() => (filename === file.filename ? null : { filename })}
    >
      <TextField label="Name" required value={filename} onChange={setFilename} autoComplete="off" />
    </EditsForm>
  );
}

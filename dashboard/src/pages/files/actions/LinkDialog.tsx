/** Creates a signed link to a file, which works for private files too and expires. */
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { formatExact } from '../../../format/times.ts';
import { useFileLink } from '../../../queries/fileChanges.ts';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Button } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { Field } from '../../../ui/forms/Field.tsx';
import { Form } from '../../../ui/forms/Form.tsx';
import { type Option, Select } from '../../../ui/forms/Select.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import type { ActionDialogProps } from './fileActions.ts';

const lives: readonly Option<string>[] = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
];

export function LinkDialog({ project, file, open, onClose }: ActionDialogProps & { file: FileRecord }) {
  const [life, setLife] = useState('900');
  const creation = useFileLink(project);
  return (
    <Dialog
      title="Signed link"
      about={`Anyone with the link can open ${isolate(file.filename)} until it expires. It ends earlier if you leave the project.`}
      open={open}
      onClose={onClose}
    >
      <DialogBody>
        <Form id="file-link" onSubmit={() => creation.mutate({ file: file.id, expiresIn: Number(life) })}>
          <Field label="Valid for">
            {control => <Select {...control} value={life} options={lives} onChange={setLife} />}
          </Field>
          {creation.error && <Notice look="error">{creation.error.message}</Notice>}
        </Form>
        {creation.data && (
          <div className="grid gap-1.5">
            <div className="flex items-center gap-3 rounded-lg border border-line bg-well px-3.5 py-2.5">
              <output
                className="min-w-0 flex-1 font-mono text-[0.8rem] break-all select-all"
                aria-label="Link"
              >
                {creation.data.url}
              </output>
              <CopyButton text={creation.data.url} label="Copy link" showLabel />
            </div>
            <p className="text-sm text-muted">Expires {formatExact(creation.data.expiresAt)}.</p>
          </div>
        )}
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" form="file-link" look="primary" busy={creation.isPending}>
          {creation.data ? 'Create another link' : 'Create link'}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Creates an upload link for people without a token, limited in time and number of files. */

import { limits } from '@tapedeck/client';
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { useUploadLink } from '../../queries/files.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { type ClosingQuestion, Dialog, DialogBody, DialogButtons } from '../../ui/dialogs/Dialog.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { UploadLinks } from './UploadLinks.tsx';

// The service allows a week at most by its clock. This browser's clock may run ahead by this much.
const clockLeadSecondsMax = 600;
const lives: readonly Option<string>[] = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: String(604_800 - clockLeadSecondsMax), label: 'A week' },
];

type UploadLinkProps = { project: string; folder: string };

export function UploadLinkButton(props: UploadLinkProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="link" />
        Upload link
      </Button>
      {open && <UploadLinkDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const uncopied: ClosingQuestion = {
  title: 'Close without the link?',
  action: 'Close without it',
  text: 'You haven’t copied it, and it is shown only here. You can create another.',
};

function UploadLinkDialog({ project, folder, onClose }: UploadLinkProps & { onClose: () => void }) {
  const creation = useUploadLink(project);
  const [copied, setCopied] = useState(false);
  const about = folder
    ? `Files can be uploaded to ${isolate(folder)} and its subfolders.`
    : 'Files can be uploaded to any folder.';
  return (
    <Dialog
      title="Upload link"
      about={about}
      open
      onClose={onClose}
      closingQuestion={creation.data && !copied ? uncopied : null}
    >
      {creation.data ? (
        <MadeLink link={creation.data} onCopied={() => setCopied(true)} onClose={onClose} />
      ) : (
        <LinkForm
          project={project}
          error={creation.error}
          busy={creation.isPending}
          onCreate={(uses, lifeSeconds) => {
            const expiresAt = Math.floor(Date.now() / 1000) + lifeSeconds;
            creation.mutate({ uses, expiresAt, path: folder || undefined });
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type LinkFormProps = {
  project: string;
  error: Error | null;
  busy: boolean;
  onCreate: (uses: number, lifeSeconds: number) => void;
  onClose: () => void;
};

function LinkForm({ project, error, busy, onCreate, onClose }: LinkFormProps) {
  const [uses, setUses] = useState('1');
  const [life, setLife] = useState('900');
  return (
    <>
      <DialogBody>
        <Form id="upload-link" onSubmit={() => onCreate(Number(uses), Number(life))}>
          <TextField
            label="Uploads"
            type="number"
            inputMode="numeric"
            required
            min={1}
            max={limits.presignedUsesMax}
            value={uses}
            onChange={setUses}
          />
          <Field label="Valid for">
            {control => <Select {...control} value={life} options={lives} onChange={setLife} />}
          </Field>
          {error && <Notice look="error">{error.message}</Notice>}
        </Form>
        <UploadLinks project={project} onLeave={onClose} />
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="upload-link" look="primary" busy={busy}>
          Create link
        </Button>
      </DialogButtons>
    </>
  );
}

type MadeLinkProps = { link: string; onCopied: () => void; onClose: () => void };

function MadeLink({ link, onCopied, onClose }: MadeLinkProps) {
  return (
    <>
      <DialogBody>
        <p className="text-sm text-muted">
          Anyone with this link can upload from a browser or a phone until it is used up or expires. It is
          shown only now. To see what arrived, open “Upload link” again. Programs can use the link, too:
        </p>
        <CodeBlock
          code={`curl -F "file=@photo.jpg" \\\n  ${link}`}
          label="command that uploads through the link"
          onCopied={onCopied}
        />
      </DialogBody>
      <DialogButtons>
        <CopyButton text={link} label="Copy link" showLabel onCopied={onCopied} />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </>
  );
}

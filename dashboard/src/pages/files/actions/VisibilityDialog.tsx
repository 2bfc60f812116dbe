/** Chooses who can read files by URL: everyone, or only people with a signed link. */
import { useState } from 'react';
import { countThings } from '../../../format/numbers.ts';
import { RadioGroup } from '../../../ui/forms/RadioGroup.tsx';
import { EditsForm } from './EditsForm.tsx';
import type { ActionDialogProps } from './fileActions.ts';

type Choice = 'public' | 'private' | 'folder';

export function VisibilityDialog(props: ActionDialogProps) {
  const { files } = props;
  const [first] = files;
  const [choice, setChoice] = useState<Choice>(first?.visibility ?? 'public');
  return (
    <EditsForm
      {...props}
      title={`Visibility of ${countThings(files.length, 'file')}`}
      action="Save"
      done="changed"
      compose={() => ({ visibility: choice === 'folder' ? null : choice })}
    >
      <RadioGroup
        label="Who can open the URL"
        value={choice}
        onChange={setChoice}
        choices={[
          { value: 'public', label: 'Public', meaning: 'Anyone with the URL.' },
          { value: 'private', label: 'Private', meaning: 'Only with a signed link, which expires.' },
          {
            value: 'folder',
            label: 'Same as its folder',
            meaning: 'Follows the rule of its folder.',
          },
        ]}
      />
    </EditsForm>
  );
}

/** Changes the name, the address or the events of a channel. */
import { severities } from '@tapedeck/client';
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type Channel, useChannelChange } from '../../../queries/channels.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog, DialogBody, DialogButtons } from '../../../ui/dialogs/Dialog.tsx';
import { say } from '../../../ui/Toasts.tsx';
import { ChannelForm, channelFields, type TypedChannel, writeSeverities } from './ChannelForm.tsx';

type EditChannelDialogProps = { project: string; channel: Channel; onClose: () => void };

export function EditChannelDialog({ project, channel, onClose }: EditChannelDialogProps) {
  const { id, name, kind, events } = channel;
  const taken = channel.severities.length === 0 ? severities : channel.severities;
  const [typed, setTyped] = useState<TypedChannel>({ name, kind, target: '', events, severities: taken });
  const change = useChannelChange(project);
  const save = () => {
    const target = typed.target.trim();
    const changes = {
      name: typed.name.trim(),
      severities: writeSeverities(typed.severities),
      ...(target !== '' && { target }),
      ...(kind === 'webhook' && { events: [...typed.events] }),
    };
    const onSuccess = () => {
      say('Saved');
      onClose();
    };
    change.mutate({ id, changes }, { onSuccess });
  };
  return (
    <Dialog title={`Change ${isolate(name)}`} open onClose={onClose} closesLightly={false}>
      <DialogBody>
        <ChannelForm
          id="edit-channel"
          typed={typed}
          knownTarget={channel.target}
          failure={placeErrors(change.error, channelFields, { name_taken: 'name' })}
          onChange={setTyped}
          onSubmit={save}
        />
      </DialogBody>
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" form="edit-channel" look="primary" busy={change.isPending}>
          Save
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Changes the name, the address or the events of a channel. */
import { severities } from '@tapedeck/client';
import { useState } from 'react';
import { isolate } from '../../../format/direction.ts';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type Channel, type ChannelChanges, useChannelChange } from '../../../queries/channels.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { ChannelForm, channelFields, type TypedChannel, writeSeverities } from './ChannelForm.tsx';

type EditChannelDialogProps = { project: string; channel: Channel; onClose: () => void };

export function EditChannelDialog({ project, channel, onClose }: EditChannelDialogProps) {
  const { id, name } = channel;
  // The values at opening: the list behind the dialog may refresh meanwhile.
  const [begun] = useState<TypedChannel>(() => writeTyped(channel));
  const [typed, setTyped] = useState(begun);
  const change = useChannelChange(project);
  const save = () => {
    const onSuccess = () => {
      showToast('Saved');
      onClose();
    };
    change.mutate({ id, changes: findChanges(begun, typed) }, { onSuccess });
  };
  return (
    <Dialog title={`Change ${isolate(name)}`} open onClose={onClose} closesLightly={false}>
      <ChannelForm
        action="Save"
        busy={change.isPending}
        typed={typed}
        knownTarget={channel.target}
        failure={placeErrors(change.error, channelFields, { name_taken: 'name' })}
        onChange={setTyped}
        onSubmit={save}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function writeTyped({ name, kind, events, severities: taken }: Channel): TypedChannel {
  return { name, kind, target: '', events, severities: taken.length === 0 ? severities : taken };
}

/** Sends only the user's changes, because someone else may have changed the rest. */
function findChanges(begun: TypedChannel, typed: TypedChannel): ChannelChanges {
  const [name, target] = [typed.name.trim(), typed.target.trim()];
  return {
    ...(name !== begun.name && { name }),
    ...(target !== '' && { target }),
    ...(typed.severities !== begun.severities && { severities: writeSeverities(typed.severities) }),
    ...(typed.events !== begun.events && { events: [...typed.events] }),
  };
}

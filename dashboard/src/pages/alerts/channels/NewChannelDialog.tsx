/** Creates a channel. Shows a webhook's secret once. */
import { severities } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../../format/fieldErrors.ts';
import { type Channel, useChannelCreation } from '../../../queries/channels.ts';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { showToast } from '../../../ui/Toasts.tsx';
import { ChannelForm, channelFields, type TypedChannel, writeSeverities } from './ChannelForm.tsx';
import { uncopied, WebhookSecret } from './WebhookSecret.tsx';

type NewChannelDialogProps = {
  project: string;
  open: boolean;
  onClose: () => void;
  onCreated?: (channel: Channel) => void;
};

const empty: TypedChannel = { name: '', kind: 'discord', target: '', events: [], severities };

export function NewChannelDialog({ project, open, onClose, onCreated }: NewChannelDialogProps) {
  const [typed, setTyped] = useState(empty);
  const [secret, setSecret] = useState<string | null>(null);
  const [copied, setCopied] = useState(false);
  const creation = useChannelCreation(project);
  const close = () => {
    onClose();
    setTyped(empty);
    setSecret(null);
    setCopied(false);
    creation.reset();
  };
  const create = () => {
    creation.mutate(writeChannel(typed), {
      onSuccess: ({ channel, secret: made }) => {
        onCreated?.(channel);
        showToast('Channel created');
        if (made === undefined) close();
        else setSecret(made);
      },
    });
  };
  return (
    <Dialog
      title={secret === null ? 'New channel' : 'Your new secret'}
      about={secret === null ? 'Where notifications go.' : 'It signs every request. It is shown only now.'}
      open={open}
      onClose={close}
      closesLightly={false}
      closingQuestion={secret === null || copied ? null : uncopied}
    >
      {secret === null ? (
        <ChannelForm
          action="Create channel"
          busy={creation.isPending}
          typed={typed}
          knownTarget={null}
          failure={placeErrors(creation.error, channelFields, { name_taken: 'name' })}
          onChange={setTyped}
          onSubmit={create}
          onCancel={close}
        />
      ) : (
        <WebhookSecret secret={secret} onCopied={() => setCopied(true)} onDone={close} />
      )}
    </Dialog>
  );
}

function writeChannel({ name, target, kind, events, ...typed }: TypedChannel) {
  const body = {
    kind,
    name: name.trim(),
    target: target.trim(),
    severities: writeSeverities(typed.severities),
  };
  return kind === 'webhook' ? { ...body, events: [...events] } : body;
}

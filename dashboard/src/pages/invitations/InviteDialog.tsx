/** Creates an invitation: asks what it grants, then shows its link once. */
import type { Role } from '@tapedeck/client';
import { useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { formatExact } from '../../format/times.ts';
import { useInviting, type Wishes } from '../../queries/invitations.ts';
import { nameRole, roleMeanings, rolesUpTo } from '../../roles.ts';
import { type ClosingQuestion, Dialog } from '../../ui/dialogs/Dialog.tsx';
import { DialogForm } from '../../ui/dialogs/DialogForm.tsx';
import { SecretDialog } from '../../ui/dialogs/SecretDialog.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { type Option, Select } from '../../ui/forms/Select.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';

/** The target of the invitation: a project with the inviter's role, or the installation (null). */
type InvitingPlace = { project: string; name: string; role: Role } | null;

type InviteDialogProps = { place: InvitingPlace; email?: string; open: boolean; onClose: () => void };

const uncopied: ClosingQuestion = {
  title: 'Close without the link?',
  action: 'Close without it',
  text: 'You haven’t copied it, and it can’t be shown again. You can withdraw it and create another.',
};

export function InviteDialog({ place, email = '', open, onClose }: InviteDialogProps) {
  const [made, setMade] = useState<Made | null>(null);
  const [copied, setCopied] = useState(false);
  const close = () => {
    onClose();
    setMade(null);
    setCopied(false);
  };
  const whereto = place === null ? 'this installation' : `the project ${place.name}`;
  return (
    <Dialog
      title={made === null ? 'Invite' : 'Invitation link'}
      about={
        made === null
          ? `Create a link to join ${whereto}.`
          : 'It is shown only now. Send it to the person you invite.'
      }
      open={open}
      onClose={close}
      closesLightly={false}
      closingQuestion={made === null || copied ? null : uncopied}
    >
      {made === null ? (
        <InviteForm place={place} email={email} onMade={setMade} onCancel={close} />
      ) : (
        <MadeLink made={made} whereto={whereto} onCopied={() => setCopied(true)} onDone={close} />
      )}
    </Dialog>
  );
}

type Made = { url: string; role: Role | null; email: string | null; expiresAt: string };

const spans: readonly Option<string>[] = [
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

type InviteFormProps = {
  place: InvitingPlace;
  email: string;
  onMade: (made: Made) => void;
  onCancel: () => void;
};

function InviteForm({ place, email: known, onMade, onCancel }: InviteFormProps) {
  const [role, setRole] = useState<Role>('member');
  const [email, setEmail] = useState(known);
  const [span, setSpan] = useState('604800');
  const inviting = useInviting(place?.project ?? null);
  const failure = placeErrors(inviting.error, ['email', 'role', 'expiresIn']);
  const invite = () => {
    const wishes: Wishes = { role, expiresIn: Number(span) };
    if (email.trim() !== '') wishes.email = email.trim();
    inviting.mutate(wishes, {
      onSuccess: ({ url, invitation }) => onMade({ ...invitation, url }),
    });
  };
  return (
    <DialogForm
      action="Create link"
      busy={inviting.isPending}
      error={failure.rest}
      onSubmit={invite}
      onCancel={onCancel}
    >
      {place !== null && (
        <Field label="Role" hint={roleMeanings[role]} error={failure.at('role')}>
          {control => (
            <Select
              {...control}
              value={role}
              options={rolesUpTo(place.role).map(value => ({ value, label: value }))}
              onChange={setRole}
            />
          )}
        </Field>
      )}
      <TextField
        label="For the email address"
        type="email"
        autoComplete="off"
        hint="Leave empty to let anyone with the link use it."
        error={failure.at('email')}
        value={email}
        onChange={setEmail}
      />
      <Field label="Valid for" hint="Works once, until it expires." error={failure.at('expiresIn')}>
        {control => <Select {...control} value={span} options={spans} onChange={setSpan} />}
      </Field>
    </DialogForm>
  );
}

type MadeLinkProps = { made: Made; whereto: string; onCopied: () => void; onDone: () => void };

function MadeLink({ made, whereto, onCopied, onDone }: MadeLinkProps) {
  const { url, role, email, expiresAt } = made;
  return (
    <SecretDialog name="link" label="The link" text={url} onCopied={onCopied} onDone={onDone}>
      {email === null ? 'The first person to open it' : email} can join {whereto}
      {role && ` as ${nameRole(role)}`}. Expires {formatExact(expiresAt)}.
    </SecretDialog>
  );
}

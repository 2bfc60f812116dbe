/** Asks before removing a member from the project. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { type Member, useMemberRemoval } from '../../queries/members.ts';
import { tokensQuery } from '../../queries/tokens.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { isMadeBy, MadeTokens, type TokensChoice } from './MadeTokens.tsx';

type RemoveDialogProps = { project: string; member: Member | null; onClose: () => void };

export function RemoveDialog({ project, member, onClose }: RemoveDialogProps) {
  const shown = useLastValue(member);
  const removal = useMemberRemoval(project);
  const [tokens, setTokens] = useState<TokensChoice>('revoke');
  const { data: all = [] } = useQuery({ ...tokensQuery(project), enabled: member !== null });
  const made = all.filter(token => shown && isMadeBy(token, shown));
  const close = () => {
    setTokens('revoke');
    removal.reset();
    onClose();
  };
  const remove = () => {
    if (member === null) return;
    const onSuccess = () => {
      close();
      showToast('Member removed');
    };
    removal.mutate({ user: member.id, tokens }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={`Remove ${isolate(shown?.name ?? '')}?`}
      action="Remove member"
      open={member !== null}
      onClose={close}
      onConfirm={remove}
      busy={removal.isPending}
      error={removal.error}
    >
      <p>They lose access to this project. Their account is kept.</p>
      <MadeTokens tokens={made} choice={tokens} onChoice={setTokens} />
    </ConfirmDialog>
  );
}

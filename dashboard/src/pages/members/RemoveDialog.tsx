/** Asks before removing a member from the project. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import { type Member, useMemberRemoval } from '../../queries/members.ts';
import { tokensQuery } from '../../queries/tokens.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useConfirmation } from '../../ui/hooks/useConfirmation.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { isMadeBy, MadeTokens, type TokensChoice } from './MadeTokens.tsx';

type RemoveDialogProps = { project: string; member: Member | null; onClose: () => void };

export function RemoveDialog({ project, member, onClose }: RemoveDialogProps) {
  const [tokens, setTokens] = useState<TokensChoice>('revoke');
  const { shown, confirm, dialog } = useConfirmation(member, useMemberRemoval(project), {
    onClose: () => {
      setTokens('revoke');
      onClose();
    },
    onDone: () => showToast('Member removed'),
  });
  const { data: all = [] } = useQuery({ ...tokensQuery(project), enabled: member !== null });
  const made = all.filter(token => shown && isMadeBy(token, shown));
  return (
    <ConfirmDialog
      title={`Remove ${isolate(shown?.name ?? '')}?`}
      action="Remove member"
      {...dialog}
      onConfirm={() => member && confirm({ user: member.id, tokens })}
    >
      <p>They lose access to this project. Their account is kept.</p>
      <MadeTokens tokens={made} choice={tokens} onChoice={setTokens} />
    </ConfirmDialog>
  );
}

/** Asks before lowering a member's role, if that ends tokens they created. */
import { useState } from 'react';
import { isolate } from '../../format/direction.ts';
import type { Member, RoleChange } from '../../queries/members.ts';
import { nameRole } from '../../roles.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { useLastValue } from '../../ui/hooks/useLastValue.ts';
import { MadeTokens, type Token, type TokensChoice } from './MadeTokens.tsx';

export type Demotion = { member: Member; role: Member['role']; tokens: readonly Token[] };

type DemoteDialogProps = {
  demotion: Demotion | null;
  onRole: (change: RoleChange) => void;
  onClose: () => void;
};

export function DemoteDialog({ demotion, onRole, onClose }: DemoteDialogProps) {
  const shown = useLastValue(demotion);
  const [tokens, setTokens] = useState<TokensChoice>('revoke');
  const close = () => {
    setTokens('revoke');
    onClose();
  };
  const confirm = () => {
    if (demotion !== null) onRole({ id: demotion.member.id, role: demotion.role, tokens });
    close();
  };
  return (
    <ConfirmDialog
      title={shown ? `Make ${isolate(shown.member.name)} ${nameRole(shown.role)}?` : ''}
      action="Change role"
      open={demotion !== null}
      onClose={close}
      onConfirm={confirm}
    >
      <MadeTokens tokens={shown?.tokens ?? []} choice={tokens} onChoice={setTokens} />
    </ConfirmDialog>
  );
}

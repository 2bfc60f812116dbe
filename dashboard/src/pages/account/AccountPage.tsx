/** The user's own account: sign-in methods and sessions. */

import { useMe } from '../../queries/session.ts';
import { Badge } from '../../ui/Badge.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { IdentitiesPanel } from './IdentitiesPanel.tsx';
import { PasskeysPanel } from './PasskeysPanel.tsx';
import { PasswordPanel } from './PasswordPanel.tsx';
import { SecondFactorPanel } from './SecondFactorPanel.tsx';
import { SessionsPanel } from './SessionsPanel.tsx';

export function AccountPage() {
  const me = useMe();
  return (
    <>
      <PageHead
        title="Account"
        about={
          <>
            <bdi>{me.name}</bdi>, {me.email} {me.isOwner && <Badge look="accent">owner</Badge>}
          </>
        }
      />
      <div className="grid max-w-4xl gap-6">
        <PasswordPanel />
        <SecondFactorPanel />
        <PasskeysPanel />
        <IdentitiesPanel />
        <SessionsPanel />
      </div>
    </>
  );
}

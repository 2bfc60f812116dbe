/** Shows whether the second factor is on, and how many recovery codes are left. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authMethodsQuery, useFactorRemoval, useRecoveryCodes } from '../../queries/authMethods.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { showToast } from '../../ui/Toasts.tsx';
import { ConfirmFactorDialog } from './ConfirmFactorDialog.tsx';
import { NewFactorDialog } from './NewFactorDialog.tsx';
import { RecoveryCodesDialog } from './RecoveryCodes.tsx';

const codesLowMax = 3; // time to make new ones

type Question = 'on' | 'off' | 'codes';

export function SecondFactorPanel() {
  const { data } = useSuspenseQuery(authMethodsQuery);
  const [asking, setAsking] = useState<Question | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { secondFactor: factor, hasPassword } = data;
  const close = () => setAsking(null);
  const showCodes = (made: readonly string[]) => {
    close();
    setCodes(made);
  };
  return (
    <>
      <Panel
        title="Second factor"
        about="Asks for a code from an authenticator app after the password."
        actions={<Badge look={factor === null ? 'plain' : 'accent'}>{factor === null ? 'off' : 'on'}</Badge>}
        footer={
          factor === null ? (
            <Button look="primary" onClick={() => setAsking('on')}>
              Set up
            </Button>
          ) : (
            <>
              <Button look="risky" onClick={() => setAsking('off')}>
                Turn off…
              </Button>
              <Button onClick={() => setAsking('codes')}>New recovery codes…</Button>
            </>
          )
        }
      >
        {factor !== null && (
          <div className="grid gap-3">
            <p className="text-sm text-muted">
              Turned on <Timestamp at={factor.since} />. {describeCodes(factor.recoveryCodes)}
            </p>
            {factor.recoveryCodes <= codesLowMax && (
              <Notice look="warning">Create new recovery codes before you run out.</Notice>
            )}
          </div>
        )}
      </Panel>
      <FactorDialogs asking={asking} hasPassword={hasPassword} onClose={close} onCodes={showCodes} />
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </>
  );
}

type FactorDialogsProps = {
  asking: Question | null;
  hasPassword: boolean;
  onClose: () => void;
  onCodes: (codes: readonly string[]) => void;
};

function FactorDialogs({ asking, hasPassword, onClose, onCodes }: FactorDialogsProps) {
  const removal = useFactorRemoval();
  const renewal = useRecoveryCodes();
  return (
    <>
      <NewFactorDialog hasPassword={hasPassword} open={asking === 'on'} onClose={onClose} onMade={onCodes} />
      <ConfirmFactorDialog
        title="Turn off the second factor?"
        about="Signing in will need only the password. Your recovery codes stop working."
        action="Turn off"
        hasPassword={hasPassword}
        open={asking === 'off'}
        change={removal}
        onClose={onClose}
        onDone={() => {
          onClose();
          showToast('Second factor turned off');
        }}
      />
      <ConfirmFactorDialog
        title="New recovery codes"
        about="The old ones stop working."
        action="Create new codes"
        hasPassword={hasPassword}
        open={asking === 'codes'}
        change={renewal}
        onClose={onClose}
        onDone={({ recoveryCodes }) => onCodes(recoveryCodes)}
      />
    </>
  );
}

function describeCodes(count: number): string {
  if (count === 0) return 'No recovery codes left.';
  return `${count} recovery ${count === 1 ? 'code is' : 'codes are'} left.`;
}

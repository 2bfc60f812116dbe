/** The way in by a passkey, where the browser has them. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { ApiError } from '@tapedeck/client';
import { findPasskeyHindrance } from '../../authenticator.ts';
import { Button } from '../../parts/Button.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Slowed, useSlowing } from '../../parts/Slowed.tsx';
import { stateQuery, usePasskeySignIn } from '../../queries/session.ts';

export function PasskeyButton({ onSignedIn }: { onSignedIn: () => void }) {
  const { passkeys } = useSuspenseQuery(stateQuery).data;
  const signIn = usePasskeySignIn(onSignedIn);
  const { slowed, waitSeconds } = useSlowing(signIn.error instanceof ApiError ? signIn.error : null);
  if (findPasskeyHindrance(passkeys) !== null) return null;
  return (
    <>
      <Button busy={signIn.isPending} disabled={waitSeconds > 0} onClick={() => signIn.mutate()}>
        <Icon name="key" />
        Use a passkey
      </Button>
      {signIn.error && !slowed && <Notice look="error">{signIn.error.message}</Notice>}
      {waitSeconds > 0 && <Slowed seconds={waitSeconds} />}
    </>
  );
}

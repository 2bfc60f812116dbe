/** Signs in with a passkey, if the browser supports them. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { ApiError } from '@tapedeck/client';
import { stateQuery, usePasskeySignIn } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RateLimitNotice, useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { findPasskeyHindrance } from '../../webAuthn.ts';

export function PasskeyButton({ onSignedIn }: { onSignedIn: () => void }) {
  const { passkeys } = useSuspenseQuery(stateQuery).data;
  const signIn = usePasskeySignIn(onSignedIn);
  const { slowed, waitSeconds } = useRateLimit(signIn.error instanceof ApiError ? signIn.error : null);
  if (findPasskeyHindrance(passkeys) !== null) return null;
  return (
    <>
      <Button busy={signIn.isPending} disabled={waitSeconds > 0} onClick={() => signIn.mutate()}>
        <Icon name="key" />
        Use a passkey
      </Button>
      {signIn.error && !slowed && <Notice look="error">{signIn.error.message}</Notice>}
      {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
    </>
  );
}

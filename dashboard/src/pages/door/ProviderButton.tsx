/** The way in by the sign-in provider, where the installation has one. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Button } from '../../parts/Button.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { stateQuery, useProviderSignIn } from '../../queries/session.ts';

type ProviderButtonProps = {
  verb: string;
  /** Where to go on afterwards. */
  back: string;
  invitation?: string;
};

export function ProviderButton({ verb, back, invitation }: ProviderButtonProps) {
  const { provider } = useSuspenseQuery(stateQuery).data;
  const leaving = useProviderSignIn();
  if (provider === null) return null;
  const leave = () => leaving.mutate({ back, ...(invitation !== undefined && { invitation }) });
  return (
    <>
      <Button busy={leaving.isPending || leaving.isSuccess} onClick={leave}>
        {verb} {provider.name}
      </Button>
      {leaving.error && <Notice look="error">{leaving.error.message}</Notice>}
    </>
  );
}

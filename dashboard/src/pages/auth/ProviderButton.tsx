/** Signs in through the sign-in provider, if there is one. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { stateQuery, useProviderSignIn } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';

type ProviderButtonProps = {
  verb: string;
  /** The page to open after sign-in. */
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

/** Lets signed-in users in, and sends everybody else to the page where they can become one. */
import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { isSignedOut, sessionEnded, takeSessionEnd } from './queries/cache.ts';
import { meQuery, stateQuery } from './queries/session.ts';

/** `here` is where the user wanted to go, and comes to after signing in. */
export async function requireSession(queries: QueryClient, here: string): Promise<void> {
  const toSignIn = () => {
    const reason = takeSessionEnd(queries) ? { trouble: sessionEnded } : {};
    return redirect({ to: '/sign-in', search: { ...(here !== '/' && { back: here }), ...reason } });
  };
  if (queries.getQueryData(meQuery.queryKey) === undefined) {
    // Asked rather than tried: a refusal would stand in the console of everybody who has yet to sign in.
    const { isSetUp, isSignedIn } = await queries.fetchQuery({ ...stateQuery, staleTime: 0 });
    if (!isSetUp) throw redirect({ to: '/set-up' });
    if (!isSignedIn) throw toSignIn();
  }
  try {
    await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    throw toSignIn();
  }
}

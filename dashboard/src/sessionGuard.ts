/** Lets signed-in users in, and sends others to sign-in or set-up. */
import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { isSignedOut, sessionEnded, takeSessionEnd } from './queries/cache.ts';
import { meQuery, stateQuery } from './queries/session.ts';
import { admitUploader } from './queries/uploader.ts';

/** `here`: the page to return to after sign-in. */
export async function requireSession(queries: QueryClient, here: string): Promise<void> {
  const toSignIn = () => {
    const reason = takeSessionEnd(queries) ? { trouble: sessionEnded } : {};
    return redirect({ to: '/sign-in', search: { ...(here !== '/' && { back: here }), ...reason } });
  };
  if (queries.getQueryData(meQuery.queryKey) === undefined) {
    // Asks first, because a refused request would appear in the console of every signed-out visitor.
    const { isSetUp, isSignedIn } = await queries.fetchQuery({ ...stateQuery, staleTime: 0 });
    if (!isSetUp) throw redirect({ to: '/set-up' });
    if (!isSignedIn) throw toSignIn();
  }
  try {
    const { user } = await queries.ensureQueryData(meQuery);
    if (user !== null) admitUploader(user.id);
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    throw toSignIn();
  }
}

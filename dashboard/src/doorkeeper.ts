/** Lets signed-in users in, and sends everybody else to the page where they can become one. */
import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { isSignedOut } from './queries/cache.ts';
import { meQuery, stateQuery } from './queries/session.ts';

/** `here` is where the user wanted to go, and comes to after signing in. */
export async function requireSignedIn(queries: QueryClient, here: string): Promise<void> {
  const { isSetUp } = await queries.ensureQueryData(stateQuery);
  if (!isSetUp) throw redirect({ to: '/set-up' });
  try {
    await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    throw redirect({ to: '/sign-in', search: here === '/' ? {} : { back: here } });
  }
}

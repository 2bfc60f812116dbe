/**
 * Loads pages when they are first opened. Without a network, the page says so. If only the page is missing, as after an upgrade of the service, the
 * router reloads everything.
 */
import { lazyRouteComponent } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';

export function lazyPage<Pages extends Record<string, unknown>, Name extends keyof Pages>(
  load: () => Promise<Pages>,
  name: Name,
) {
  return lazyRouteComponent(() => load().catch(explainAbsence), name);
}

async function explainAbsence(cause: unknown): Promise<never> {
  const isReached = await fetch('/healthz').then(
    () => true,
    () => false,
  );
  if (isReached) throw cause;
  const sentence = 'The service cannot be reached; check the connection and try again.';
  throw new ApiError({ status: 0, code: 'unreachable' }, sentence, { cause });
}

/** The port to the service that receives an import. */
import type { Remote } from './remote.ts';

export type Destination = AsyncDisposable & {
  remote: Remote;
  project: string;
  /** Whether the token is the one of an earlier run. If so, what that run sent with a key is stored only once. */
  isSameToken: boolean;
  /** Revokes the token, because the import is complete. */
  finish(): Promise<void>;
};

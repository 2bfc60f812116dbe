/** The port to the service that receives an import. */
import type { Remote } from './remote.ts';

export type Destination = AsyncDisposable & {
  remote: Remote;
  project: string;
  /** Whether the token is the one of an earlier run: what that one sent with a key is stored once. */
  isSameToken: boolean;
  /** Revokes the token: nothing is left to do. */
  finish(): Promise<void>;
};

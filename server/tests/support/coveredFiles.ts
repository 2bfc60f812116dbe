/** Lists the repository's files in which functions ran, using V8's precise coverage. */
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = pathToFileURL(path.join(import.meta.dirname, '../../..')).href;
const own = /^\/(?:server|packages\/[\w-]+)\/src\//;

/** Covers this thread. A file counts when one of its functions is called; resuming a suspended function does not count. */
type CoveredFiles = Disposable & {
  /** Forgets everything that ran so far. */
  forget(): Promise<void>;
  /** The files since the last `forget`, each with the functions that ran. */
  list(): Promise<Map<string, readonly string[]>>;
};

export async function openCoveredFiles(): Promise<CoveredFiles> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const list = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(root) && own.test(url.slice(root.length)))
      .map(({ url, functions }) => {
        const called = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
        return [url.slice(root.length + 1), called.map(({ functionName }) => functionName)] as const;
      });
    return new Map(ran.filter(([, names]) => names.length > 0));
  };
  return {
    forget: async () => void (await list()),
    list,
    [Symbol.dispose]: () => session.disconnect(),
  };
}

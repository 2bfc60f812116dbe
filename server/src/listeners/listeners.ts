/** Opens the listeners besides HTTP that the settings name. */
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { openForwardListener } from './forwardListener.ts';
import { openSentStore, type SentStoreDeps } from './listenerStore.ts';
import { openSyslogListeners } from './syslogListener.ts';
import { TroubleLog } from './troubleLog.ts';

type ListenerDeps = SentStoreDeps & { log: Logger };

/** The stack closes each listener, once what it has read is stored. */
export async function openListeners(
  { listeners: { syslog, forward } }: Pick<Config, 'listeners'>,
  deps: ListenerDeps,
  opened: AsyncDisposableStack,
): Promise<void> {
  const { log } = deps;
  if (syslog !== null) {
    const { report } = opened.use(new TroubleLog(log, 'syslog messages were lost or refused'));
    const store = openSentStore(deps, syslog.token);
    const { ports } = opened.use(await openSyslogListeners(syslog.places, { store, report }));
    log.info({ ports }, 'listening for syslog');
  }
  if (forward !== null) {
    const { report } = opened.use(new TroubleLog(log, 'a message of the forward protocol was refused'));
    const store = openSentStore(deps, forward.token);
    const { port } = opened.use(
      await openForwardListener(forward.place, { store, key: forward.token, report }),
    );
    log.info({ port }, 'listening for the forward protocol');
  }
}

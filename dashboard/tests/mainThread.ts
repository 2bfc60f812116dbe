/** Measures tasks of a page's main thread. */
import type { CDPSession, Page } from 'playwright-core';

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds of processor time. */
  tdur?: number;
  args?: { name?: string };
};

type MainThread = {
  /** Returns the processor time of the longest task while `act` runs, in milliseconds. Other programs do not add to it, as they do to wall time. */
  longestTask(act: () => Promise<void>): Promise<number>;
};

export async function watchMainThread(page: Page): Promise<MainThread> {
  const session = await page.context().newCDPSession(page);
  return {
    longestTask: async act => {
      const events = await trace(session, act);
      const mains = events.filter(
        ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
      );
      const threads = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
      const tasks = events.filter(
        ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && threads.has(`${pid} ${tid}`),
      );
      return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
    },
  };
}

async function trace(session: CDPSession, act: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  // The protocol calls them objects; these are the fields that every event has.
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  const includedCategories = ['disabled-by-default-devtools.timeline', '__metadata'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await act();
  const complete = new Promise(resolve => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return events;
}

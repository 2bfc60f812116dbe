/** Reads processor time and memory of the service's process and of its log engine, from Linux. */
import { readFile } from 'node:fs/promises';

type Pair = { service: number; engine: number };

const microsPerTick = 10_000; // Linux counts processor time in hundredths of a second

/** In microseconds. */
export function readProcessorTimes(servicePid: number): Promise<Pair> {
  return readBoth(servicePid, async pid => {
    const fields = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [userTicks = 0, systemTicks = 0] = fields
      .slice(fields.lastIndexOf(')'))
      .split(' ')
      .slice(12, 14)
      .map(Number);
    return (userTicks + systemTicks) * microsPerTick;
  });
}

/** In megabytes, including file-backed and shared memory. */
export function readResidentMegabytes(servicePid: number): Promise<Pair> {
  return readBoth(servicePid, async pid => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  });
}

async function readBoth(servicePid: number, read: (pid: number) => Promise<number>): Promise<Pair> {
  const children = await readFile(`/proc/${servicePid}/task/${servicePid}/children`, 'utf8').catch(() => '');
  const enginePid = Number(children.trim().split(' ')[0]);
  return { service: await read(servicePid), engine: enginePid > 0 ? await read(enginePid) : 0 };
}

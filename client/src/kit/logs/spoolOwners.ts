/** Finds the spool directories whose processes are gone. */
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const silenceMsMax = 300_000; // for processes on other machines, where only the heartbeat shows that they are alive
const aheadMsMax = 86_400_000; // a heartbeat with a later time is from a clock that was set back since
let opened = 0;

/** Returns host, process id, its start and a spool number. The start is there because systems reuse ids. */
export function nameProcess(): string {
  opened++;
  return [encodeURIComponent(hostname()), process.pid, readStart(process.pid), `${opened}`].join('~');
}

export function isGone(folder: string, name: string): boolean {
  const [host, pid, start] = name.split('~');
  if (pid === undefined || start === undefined || !/^\d+$/.test(pid)) return false;
  if (Number(pid) === process.pid && start === readStart(process.pid)) return false;
  if (host === encodeURIComponent(hostname())) return !lives(Number(pid)) || readStart(Number(pid)) !== start;
  try {
    const silentMs = Date.now() - statSync(join(folder, name)).mtimeMs;
    return silentMs > silenceMsMax || silentMs < -aheadMsMax;
  } catch {
    return false; // another process has taken it
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns clock ticks from boot to process start; '0' if unknown. */
function readStart(pid: number): string {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

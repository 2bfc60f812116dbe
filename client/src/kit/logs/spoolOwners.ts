/** Tells which directories of a spool belong to processes that are gone. */
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const silenceMsMax = 300_000; // for processes on other machines, where only a heartbeat shows that they are alive
let opened = 0;

/** Host, process, when that began, and which spool of it: a number may be given to another process later. */
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
    return Date.now() - statSync(join(folder, name)).mtimeMs > silenceMsMax;
  } catch {
    return false; // another process has it by now
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process lives, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Clock ticks since the machine started; '0' where the system does not say. */
function readStart(pid: number): string {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

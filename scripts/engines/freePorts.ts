/**
 * Finds free loopback ports, for programs that need to know theirs before they start, or keep them over a restart. Below 32,768, because Linux uses
 * the ports above for outgoing connections, so one could be taken a moment later.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const firstPort = 10_000;
const endPort = 32_768;
const triesMax = 100;

export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = firstPort + Math.floor(Math.random() * (endPort - firstPort));
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${triesMax} ports tried is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}

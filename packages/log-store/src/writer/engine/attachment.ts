/** Finds the engine of a running service for commands, by the address in its configuration. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LogStoreFailure } from '../../failures.ts';
import { configurationFileName, isAnswering, secretHeaderName } from './engine.ts';
import type { Endpoint } from './requests.ts';
import type { EngineAccess } from './supervision.ts';

const answerTimeMsMax = 2_000;
const waitMsMax = 15_000; // a start with many parts, or a restart
const pollIntervalMs = 100;

/** Resolves once the engine answers. */
export async function attachEngine(directory: string): Promise<EngineAccess> {
  const deadline = performance.now() + waitMsMax;
  while (performance.now() < deadline) {
    const endpoint = await readEndpoint(path.join(directory, configurationFileName));
    if (endpoint !== null && (await isAnswering(endpoint, answerTimeMsMax))) {
      return { endpoint: () => endpoint, onUp: () => () => undefined };
    }
    await wait(pollIntervalMs);
  }
  const sentence = 'The log engine of the running service does not answer; try again when it does.';
  throw new LogStoreFailure('engine_unavailable', sentence);
}

async function readEndpoint(file: string): Promise<Endpoint | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, port] = /<http_port>(\d+)</.exec(text) ?? [];
  const [, secret] = new RegExp(`<${secretHeaderName}>([0-9a-f]+)<`).exec(text) ?? [];
  if (port === undefined || secret === undefined) return null;
  return { url: `http://127.0.0.1:${port}`, headers: { [secretHeaderName]: secret } };
}

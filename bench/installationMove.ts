/** Moves an installation to PostgreSQL, Swift and two shards, and measures the speed of each part, and the downtime. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSharedStores } from '../server/tests/logs/sharedJournal.ts';
import { beginMove, stopNow } from '../server/tests/support/moveProcess.ts';
import { type ServiceProcess, startProcess } from '../server/tests/support/tapedeck.ts';
import {
  formOf,
  makeSound,
  mediaEnvironment,
  mediaToken,
  uploadRoute,
} from '../server/tests/support/uploading.ts';
import { type Bench, printTable } from './bench.ts';
import { makeRequests } from './logEntries.ts';
import { runLoadProcess } from './processes.ts';

const files = 400;
const fileSeconds = 60; // half a megabyte
const logSeconds = 10;
const entriesPerRequest = 100;
const uploadsAtOnce = 8;

export const moving: Bench = {
  name: 'moving',
  about: 'files, entries and rows a second by `migrate-to` while the service runs, and the stop at the end',
  run: async () => {
    await using stores = await startSharedStores(2);
    const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-moving-'));
    try {
      const own = { ...mediaEnvironment, TAPEDECK_LOGS_TOKEN: stores.token, TAPEDECK_DATA_DIR: directory };
      await using service = await startProcess(own);
      await fill(service, stores.token);
      const { TAPEDECK_JOURNAL: _, TAPEDECK_SECRET: __, ...targets } = stores.settings();
      const beganAt = performance.now();
      await using move = beginMove({ ...own, ...targets });
      const at = async (pattern: RegExp) => {
        await move.says(pattern);
        return performance.now() - beganAt;
      };
      const [filesMs, logsMs, aheadMs] = [
        await at(/^Files: .* copied/),
        await at(/^Log entries: .* copied/),
        await at(stopNow),
      ];
      service.child.kill('SIGTERM');
      await once(service.child, 'exit');
      const { printed } = await move.exit;
      const report = JSON.parse(printed);
      const rate = (count: number, ms: number) => Math.round(count / (ms / 1_000)).toLocaleString('en-US');
      printTable(
        ['part', 'moved', 'a second'],
        [
          ['files', String(report.files), rate(report.files, filesMs)],
          ['bytes of files', String(report.fileBytes), rate(report.fileBytes, filesMs)],
          ['log entries', String(report.entries), rate(report.entries, logsMs - filesMs)],
          ['rows', String(report.rows), rate(report.rows, aheadMs - logsMs)],
          ['the stop, ms', String(report.stoppedMs), ''],
        ],
      );
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 20 });
    }
  },
};

async function fill(service: ServiceProcess, token: string): Promise<void> {
  let number = 0;
  const upload = async () => {
    while (number < files) {
      const bytes = makeSound({ seconds: fileSeconds, tone: number % 256 });
      bytes.writeUInt32LE(number++, 100);
      const headers = { authorization: mediaToken };
      const response = await fetch(service.url + uploadRoute, {
        method: 'POST',
        headers,
        body: formOf(bytes),
      });
      if (!response.ok) throw new Error(await response.text());
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, upload));
  const port = Number(new URL(service.url).port);
  const requests = makeRequests(entriesPerRequest, token);
  await runLoadProcess({ port, connections: 50, seconds: logSeconds, requests }, null);
}

/** Tests npm loggers pointed at the oldest log route: the service stores everything they send. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { requireNodeClients } from '../../../scripts/clients/installedClients.ts';
import { startTestService } from '../support/service.ts';
import { type Entry, openLogBook, summarise } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const require = await requireNodeClients();

/** Polls until `count` entries have arrived, since loggers do not report when they have sent. */
async function readSome(dataset: string, count: number): Promise<Entry[]> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const entries = await book.read(dataset);
    if (entries.length >= count) return entries;
    assert.ok(performance.now() < deadline, `${entries.length} of ${count} entries arrived`);
    await wait(20);
  }
}

/** The parts of the packages that the tests use; their types are not installed. */
type Winston = {
  createLogger(options: object): { log(level: string, message: string, more: object): void; close(): void };
  config: { npm: { levels: object } };
  format: Record<'json' | 'timestamp', () => unknown> & { combine(...formats: unknown[]): unknown };
  transports: { Http: new (options: object) => unknown };
};
type Pino = (
  options: object,
  destination: unknown,
) => Record<'trace' | 'warn' | 'fatal', (more: object, message: string) => void>;

for (const batch of [false, true]) {
  it(`winston's Http transport, ${batch ? 'in batches' : 'one by one'}`, async () => {
    // Typed by the parts described above.
    const winston = require('winston') as Winston;
    const dataset = book.newDataset();
    const { hostname, port } = new URL(service.url);
    const transport = new winston.transports.Http({
      host: hostname,
      port: Number(port),
      path: `/api/logs?dataset=${dataset}`,
      headers: { authorization: book.token },
      batch,
      batchInterval: 50,
      batchCount: 3,
    });
    const { combine, json, timestamp } = winston.format;
    const logger = winston.createLogger({
      levels: winston.config.npm.levels,
      level: 'silly',
      format: combine(timestamp(), json()),
      transports: [transport],
    });
    for (const level of ['error', 'http', 'silly']) logger.log(level, `from ${level}`, { player: { id: 7 } });
    const entries = await readSome(dataset, 3);
    logger.close();
    assert.deepEqual(entries.map(summarise).toSorted(), [
      'debug: from http',
      'debug: from silly',
      'error: from error',
    ]);
    for (const { metadata } of entries) assert.deepEqual(metadata, { 'player.id': '7' });
  });
}

for (const bodyType of ['json', 'ndjson']) {
  it(`pino through pino-http-send as ${bodyType}`, async () => {
    const dataset = book.newDataset();
    const url = `${service.url}/api/logs?dataset=${dataset}&apiKey=${book.token}`;
    const program = require.resolve('pino-http-send/dist/bin.js');
    const child = spawn(
      process.execPath,
      [program, '--url', url, '--bodyType', bodyType, '--batchSize', '2'],
      {
        stdio: ['pipe', 'ignore', 'inherit'],
      },
    );
    const closed = once(child, 'close');
    // Typed by the parts described above.
    const logger = (require('pino') as Pino)({ level: 'trace' }, child.stdin);
    logger.trace({ player: { id: 7 } }, 'from trace');
    logger.warn({}, 'from warn');
    logger.fatal({ err: new Error('broken') }, 'from fatal');
    const entries = await readSome(dataset, 3);
    child.kill();
    await closed;
    const found = new Map(entries.map(entry => [summarise(entry), entry]));
    assert.deepEqual([...found.keys()].toSorted(), [
      'debug: from trace',
      'error: from fatal',
      'warn: from warn',
    ]);
    const [traced, failed] = [found.get('debug: from trace'), found.get('error: from fatal')];
    assert.equal(traced!.metadata['player.id'], '7');
    assert.match(traced!.metadata.pid ?? '', /^\d+$/);
    assert.equal(failed!.metadata['err.message'], 'broken');
  });
}

/** Sends through Fluentd's loggers for Node.js, and prints the number of each acknowledged message. */
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

/** The parts of the packages in use; their types are not installed. */
type Elder = {
  createFluentSender(tag: string, options: object): Sender;
};
type Sender = {
  on(event: 'error', listen: (error: unknown) => void): void;
  emit(label: string, record: object, done: (error?: unknown) => void): void;
  end(): void;
};
type Newer = {
  FluentClient: new (
    tag: string,
    options: object,
  ) => { emit(label: string, record: object): Promise<void>; shutdown(): Promise<void> };
};
const complain = (error: unknown) => void process.stderr.write(`${error}\n`);
type Emit = (record: object) => Promise<void>;

const [, , modulePath = '', eventMode, port, sharedKey, count, pauseMs] = process.argv;
const loaded: unknown = createRequire(import.meta.url)(modulePath);
const security = { clientHostname: 'tested', sharedKey };
const place = { host: '127.0.0.1', port: Number(port) };

function openElder({ createFluentSender }: Elder): Emit {
  const ack = { requireAckResponse: true, ackResponseTimeout: 2000 };
  const reconnect = { timeout: 3, reconnectInterval: 200, flushInterval: 50 };
  const sender = createFluentSender('game', { ...place, ...ack, ...reconnect, eventMode, security });
  sender.on('error', complain);
  return record =>
    new Promise((resolve, reject) => {
      sender.emit('chat', record, error => (error ? reject(error) : resolve()));
    });
}

function openNewer({ FluentClient }: Newer): Emit {
  const socket = { ...place, timeout: 3000, reconnect: { minDelay: 100, maxDelay: 200 } };
  const client = new FluentClient('game', {
    eventMode,
    security,
    socket,
    ack: { ackTimeout: 2000 },
    onSocketError: complain,
  });
  return record => client.emit('chat', record);
}

// Typed by the parts described above.
const emit = 'FluentClient' in (loaded as object) ? openNewer(loaded as Newer) : openElder(loaded as Elder);
const sent = Array.from({ length: Number(count) }, async (_, number) => {
  await wait(number * Number(pauseMs));
  try {
    await emit({ message: `number ${number} ü 東京`, level: 'warn', player: { id: 7 } });
    process.stdout.write(`${number}\n`);
  } catch (error) {
    complain(error);
  }
});
const patienceMs = 60_000; // a service takes seconds to restart, and longer on a busy machine
await Promise.race([Promise.all(sent), wait(Number(count) * Number(pauseMs) + patienceMs)]);
process.exit();

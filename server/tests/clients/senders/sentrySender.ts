/** Sends one item of each kind through Sentry's SDK for Node.js. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The parts of the package in use; its types are not installed. */
type Sentry = {
  init(options: object): void;
  setUser(user: object): void;
  setTag(name: string, value: string): void;
  setExtra(name: string, value: unknown): void;
  addBreadcrumb(breadcrumb: object): void;
  captureMessage(message: string, level: string): void;
  parameterize(texts: TemplateStringsArray, ...values: readonly unknown[]): string;
  captureException(error: Error): void;
  captureCheckIn(checkIn: object): void;
  getCurrentScope(): { addAttachment(attachment: object): void; clearAttachments(): void };
  startSpan(span: object, work: () => void): void;
  startSession(): void;
  endSession(): void;
  logger: { info(message: string, attributes: object): void };
  flush(timeoutMs: number): Promise<boolean>;
};

const [, , modulePath = '', dsn, picturePath = '', messages, tunnel] = process.argv;
// Typed by the parts described above.
const sentry = createRequire(import.meta.url)(modulePath) as Sentry;
const flushMsMax = 20_000;

sentry.init({
  dsn,
  release: 'game@1.2.3',
  environment: 'test',
  tracesSampleRate: 1,
  enableLogs: true,
  debug: true,
  ...(tunnel !== undefined && { tunnel }),
});
if (messages === undefined) sendAll();
else
  for (let number = 0; number < Number(messages); number++) {
    sentry.captureMessage(`message ${number}`, 'info');
    await sentry.flush(flushMsMax);
  }
await sentry.flush(flushMsMax);

function sendAll(): void {
  sentry.startSession();
  sentry.setUser({ id: '7', username: 'Ådå' });
  sentry.setTag('map', 'dust');
  sentry.setExtra('score', { kills: 3 });
  for (let number = 0; number < 25; number++) sentry.addBreadcrumb({ message: `crumb ${number}` });
  sentry.captureMessage(sentry.parameterize`hello ${'ü'} 東京`, 'warning');
  sentry.startSpan({ name: 'round', op: 'task' }, () => {});
  sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok' });
  sentry.logger.info('structured', { round: 9 });
  const scope = sentry.getCurrentScope();
  scope.addAttachment({
    filename: 'shot.png',
    data: readFileSync(picturePath),
    contentType: 'image/png',
  });
  scope.addAttachment({ filename: 'notes.txt', data: 'notes '.repeat(10_000), contentType: 'text/plain' }); // large enough to be gzipped
  sentry.captureException(new Error('outer failed', { cause: new TypeError('inner failed') }));
  scope.clearAttachments();
  sentry.endSession();
}

/** Runs the JavaScript samples in the API reference as they are shown. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const service = opened.use(await startTestService());
const owner = await addPerson(service, { isOwner: true });
const { token: media } = await addToken(owner, { kind: 'media' });
const { token: logs } = await addToken(owner, { kind: 'logs' });
const { token: admin } = await addToken(owner, { kind: 'admin' });
const file = new Blob([new Uint8Array(await makePicture())]);
const running = opened.move();
after(() => running.disposeAsync());

/** Each page with the token for it. */
const pages = [
  ['files', media] as const,
  ['resumable-uploads', media] as const,
  ['logs', logs] as const,
  ['sdk-sessions', media] as const,
  ['legacy', media] as const,
  ...(
    [
      'projects',
      'tokens',
      'datasets',
      'usage',
      'saved-log-views',
      'subjects',
      'rules',
      'channels',
      'deliveries',
      'issues',
      'files-of-a-project',
      'logs-of-a-project',
      'audit-log',
      'accounts',
      'users',
      'invitations',
      'second-factor',
      'passkeys',
      'machine',
    ] as const
  ).map(page => [page, admin] as const),
];

/** These end a session that others need, never end, or are a page for browsers; the last ones need another file or token than their page. */
const skipped =
  /^(?:signOut|tail\w*|openUploadPage|upload_v\d_(?:audio|video)|ingest_\w+|listSessions|getServerReport)$/;
const idOfReader = /\/(?!NDJSON)[A-Z]{4,}\b/; // a placeholder for an id that only the reader knows
/** The request is not understood, or lacks what the sample should have sent. */
const refusals = [400, 403, 405, 411, 412, 415, 422];
const wrongSecrets = ['sign_in_failed', 'presigned_unknown', 'token_unknown'];

type Sample = { id: string; text: string };

async function readSamples(page: string): Promise<Sample[]> {
  const html = await (await service.fetch(`/docs/api/${page}`)).text();
  const sections = html.split('<section class="operation">').slice(1);
  return sections.flatMap(section => {
    const id = /<h2 id="(\w+)">/.exec(section)?.[1] ?? '';
    const text =
      /<pre [^>]*data-language="javascript"[^>]*><code>([\s\S]*?)<\/code>/.exec(section)?.[1] ?? '';
    return skipped.test(id) || idOfReader.test(text) || text.includes("method: 'DELETE'")
      ? []
      : [{ id, text: unescapeHtml(text) }];
  });
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** Runs a sample with the names that it leaves to the reader, and returns what it prints. */
async function run({ text }: Sample, token: string): Promise<{ status: number; body: string }> {
  const printed: [number, string][] = [];
  const names = ['fetch', 'token', 'session', 'file', 'console'];
  const sample = new Function(...names, `return (async () => {\n${text}\n})()`);
  const fetchHere = (url: string, init?: RequestInit) => {
    const { pathname, search } = new URL(url);
    return service.fetch(pathname + search, init);
  };
  const log = (status: number, body: string) => printed.push([status, body]);
  await sample(fetchHere, token, owner.cookie, file, { log });
  const [[status, body] = [0, '']] = printed;
  return { status, body };
}

for (const [page, token] of pages) {
  describe(`/docs/api/${page}`, async () => {
    for (const sample of await readSamples(page)) {
      it(sample.id, async () => {
        const { status, body } = await run(sample, token);
        assert.ok(!refusals.includes(status), `${status} ${body}`);
        if (status === 401)
          assert.ok(
            wrongSecrets.some(code => body.includes(`"${code}"`)),
            body,
          );
      });
    }
  });
}

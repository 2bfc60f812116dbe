/** Programs without a logger's transport: one request, in their own language. */
import { inPath } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { uploads, writesLogs } from '../tokens.ts';

const fetchLogs: Guide = {
  id: 'node-fetch-logs',
  title: 'fetch: log entries',
  group: 'Node.js',
  about: 'No package at all: Node.js, Bun, Deno and browsers send entries with fetch.',
  sends: 'logs',
  words: ['node', 'javascript', 'typescript', 'bun', 'deno', 'browser', 'http'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'log.mjs',
      language: 'javascript',
      isFile: true,
      write: ({
        address,
        token,
        dataset,
      }) => `/** Entries of \`level\` (debug, info, warn, error), \`message\`, and if need be \`resource\` and \`metadata\`. */
export async function log(...entries) {
  const answer = await fetch('${address}/api/v3/logs?dataset=${dataset}', {
    method: 'POST',
    headers: { Authorization: 'Bearer ${token}', 'Content-Type': 'application/json' },
    body: JSON.stringify(entries),
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
}
`,
    },
  ],
  test: {
    name: 'test.mjs',
    language: 'javascript',
    write: () => `import { log } from './log.mjs';
await log({ level: 'warn', message: 'Hello, tape', metadata: { player: { id: 7 } } });`,
  },
  notes: [{ sees: '429 or 503', means: 'Wait as long as Retry-After says, and send the same again.' }],
};

const fetchFiles: Guide = {
  id: 'node-fetch-files',
  title: 'fetch: files',
  group: 'Node.js',
  about: 'Uploads a file from Node.js, Bun or Deno without a package.',
  sends: 'media',
  words: ['node', 'javascript', 'typescript', 'upload', 'bun', 'deno'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'upload.mjs',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, folder }) => `import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';

export async function upload(path) {
  const answer = await fetch('${address}/api/v3/file/${inPath(folder)}' + encodeURIComponent(basename(path)), {
    method: 'PUT',
    headers: { Authorization: 'Bearer ${token}' },
    body: await openAsBlob(path),
  });
  const { data, error } = await answer.json();
  if (!answer.ok) throw new Error(error);
  return data.url;
}
`,
    },
  ],
  test: {
    name: 'test.mjs',
    language: 'javascript',
    write: () => `import { upload } from './upload.mjs';
console.log(await upload('photo.png'));`,
  },
  notes: [{ sees: '415', means: 'What the bytes are decides: images, videos and sounds are taken.' }],
};

export const plainHttpGuides: readonly Guide[] = [fetchLogs, fetchFiles];

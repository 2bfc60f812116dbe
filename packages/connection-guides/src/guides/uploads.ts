/** Ways to upload from pages and programs. */
import { inQuery, inQuotes, inShell } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { uploads } from '../tokens.ts';

const group = 'Screenshots and uploads';

const tooOpen = {
  sees: 'Everybody who opens the page could read the token',
  means:
    'In a page for strangers use a presigned URL, with /resumable behind it, in the place of the endpoint, and leave the header out.',
};

const tus: Guide = {
  id: 'tus-js-client',
  title: 'tus-js-client',
  group,
  about: 'Uploads large files in pieces, in browsers and Node.js, and goes on where the line broke.',
  sends: 'media',
  words: ['tus', 'resumable', 'large', 'video', 'chunk', 'browser', 'node', 'tusd'],
  door: 'resumable',
  token: uploads,
  install: 'npm install tus-js-client',
  snippets: [
    {
      name: 'upload.mjs',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, folder }) => `import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Upload } from 'tus-js-client';

const path = process.argv[2];
const upload = new Upload(createReadStream(path), {
  endpoint: '${address}/api/v3/file/resumable',
  headers: { Authorization: 'Bearer ${token}' },
  metadata: { filename: basename(path)${folder === '' ? '' : `, path: ${inQuotes(folder)}`} },
  chunkSize: 8 * 1024 * 1024,
  retryDelays: [0, 1000, 3000, 5000, 10000],
  onError: error => console.error('not uploaded:', error.message),
  onSuccess: async () => {
    const headers = { Authorization: 'Bearer ${token}' };
    const answer = await fetch(\`\${upload.url}/result\`, { headers });
    console.log((await answer.json()).data.url);
  },
});
upload.start();
`,
    },
  ],
  test: { name: 'One file', language: 'sh', write: () => 'node upload.mjs recording.mkv' },
  notes: [
    tooOpen,
    {
      sees: '413',
      means: 'The file is larger than TAPEDECK_FILE_SIZE_MAX; it is refused before its bytes are sent.',
    },
    {
      sees: '404 when it goes on',
      means: 'An upload without progress for 24 hours is gone: it begins anew.',
    },
  ],
};

const uppy: Guide = {
  id: 'uppy',
  title: 'Uppy',
  group,
  about: 'A box for a web page into which files are dropped; uploads go on where the line broke.',
  sends: 'media',
  words: ['tus', 'resumable', 'browser', 'react', 'vue', 'dashboard', 'drop'],
  door: 'resumable',
  token: uploads,
  install: 'npm install @uppy/core @uppy/dashboard @uppy/tus',
  snippets: [
    {
      name: 'uploader.js',
      language: 'javascript',
      write: ({ address, token, folder }) => `import Uppy from '@uppy/core';
import Dashboard from '@uppy/dashboard';
import Tus from '@uppy/tus';

export const uppy = new Uppy({
  restrictions: { allowedFileTypes: ['image/*', 'video/*', 'audio/*'] },${folder === '' ? '' : `\n  meta: { path: ${inQuotes(folder)} },`}
});
uppy.use(Dashboard, { inline: true, target: '#uploads' });
uppy.use(Tus, {
  endpoint: '${address}/api/v3/file/resumable',
  headers: { Authorization: 'Bearer ${token}' },
  chunkSize: 8 * 1024 * 1024,
  // The service knows files by filename.
  allowedMetaFields: [${folder === '' ? '' : `'path', `}'filename'],
});
uppy.on('file-added', file => uppy.setFileMeta(file.id, { filename: file.name }));
`,
    },
  ],
  test: {
    name: 'In the page',
    language: 'text',
    write: () => 'Give the page an element with the id “uploads”, drop a picture on it, and press Upload.',
  },
  notes: [tooOpen],
};

const presigned: Guide = {
  id: 'presigned-url',
  title: 'Presigned upload URLs',
  group,
  about: 'A URL that takes one file (or some) from somebody without a token: players, visitors, bots.',
  sends: 'media',
  words: ['browser', 'page', 'form', 'visitor', 'temporary', 'link', 'signed'],
  door: 'presigned',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'On the server: ask for a URL',
      language: 'sh',
      write: ({ address, token, folder }) =>
        `curl -fsS '${address}/api/v3/file/presigned-url?uses=1${folder === '' ? '' : `&path=${inQuery(folder)}`}' \\
  -H 'Authorization: Bearer ${token}'`,
    },
    {
      name: 'In the page: send a file to it',
      language: 'javascript',
      write: () => `const body = new FormData();
body.set('file', input.files[0]);
const answer = await fetch(presignedUrl, { method: 'POST', body });
const { data } = await answer.json();
console.log(data.url);`,
    },
  ],
  test: {
    name: 'Both in one line',
    language: 'sh',
    write: ({ address, token, folder }) =>
      `curl -fsS -F 'file=@photo.png'${folder === '' ? '' : ` -F ${inShell(`path=${folder}`)}`} "$(curl -fsS '${address}/api/v3/file/presigned-url${folder === '' ? '' : `?path=${inQuery(folder)}`}' -H 'Authorization: Bearer ${token}' | sed -n 's/.*"presignedUrl":"\\([^"]*\\)".*/\\1/p')"`,
  },
  notes: [
    { sees: '409', means: 'The URL is used up: ask for one with more uses, or for another one.' },
    { sees: '410', means: 'It has expired: 15 minutes where no expiresAt was asked for.' },
  ],
};

export const uploadGuides: readonly Guide[] = [tus, uppy, presigned];

/** The HTML pages behind upload URLs, one that takes files and one that explains why it takes none, and behind file URLs that lead nowhere. */
import type { ErrorCode, MediaType } from '@tapedeck/domain/vocabulary';

/** The page loads two files of this service, and sends only to this service. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type UploadPage = {
  /** The name of the project. */
  project: string;
  type: MediaType | null;
  path: string;
  /** Unix milliseconds. */
  expiresAt: number;
  usesLeft: number;
  bytesMax: number;
};

const typeNames = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  audio: ['audio file', 'audio files'],
} as const;

export function writeUploadPage(page: UploadPage): string {
  const { project, type, path, expiresAt, usesLeft, bytesMax } = page;
  const [one, many] =
    type === null ? ['image, video or audio file', 'images, videos or audio files'] : typeNames[type];
  const size = formatMebibytes(bytesMax);
  const what =
    usesLeft === 1 ? `One ${one}, at most ${size}` : `Up to ${usesLeft} ${many}, at most ${size} each`;
  const accept = type === null ? 'image/*,video/*,audio/*' : `${type}/*`;
  const multiple = usesLeft > 1 ? ' multiple' : '';
  const data = `data-uses-left="${usesLeft}" data-bytes-max="${bytesMax}" data-expires-at="${expiresAt}"`;
  return writePage(
    `Upload to ${project}`,
    `<main id="upload" ${data}>
<h1>Upload to ${escapeText(project)}</h1>
<p class="about">${what}${path === '' ? '' : `, into the folder ${escapeText(path)}`}.
The link works until <time datetime="${new Date(expiresAt).toISOString()}">${new Date(expiresAt).toUTCString()}</time>.</p>
<div id="drop">
<p class="dropping">Drop ${usesLeft === 1 ? 'a file' : 'files'} here, or</p>
<div class="buttons">
<button type="button" id="choose" class="primary">Choose ${usesLeft === 1 ? 'a file' : 'files'}</button>
${type === 'audio' ? '' : '<button type="button" id="camera">Use the camera</button>'}
</div>
<input type="file" id="files" aria-label="Files to upload" accept="${accept}"${multiple} hidden>
${type === 'audio' ? '' : `<input type="file" id="shot" aria-label="Photo or video" accept="${type === null ? 'image/*' : accept}" capture="environment" hidden>`}
</div>
<p id="told" role="status"></p>
<ul id="list" aria-label="Uploads"></ul>
</main>
<noscript><p>This page needs JavaScript. You can also upload with a program: POST the file to this URL as multipart/form-data.</p></noscript>
<script type="module" src="/upload-page.js"></script>`,
  );
}

const deadPages: Readonly<Partial<Record<ErrorCode, readonly [string, string]>>> = {
  presigned_expired: ['This link has expired', 'Ask for a new one where you got it.'],
  presigned_used: [
    'This link has been used up',
    'Everything it allowed has been uploaded. Ask for a new link to upload more.',
  ],
  presigned_unknown: [
    'This link doesn’t work',
    'It may be incomplete, or it was withdrawn. Check that you copied all of it, or ask for a new one.',
  ],
};

/** A large upload takes the last use when it begins. The browser that began it can finish it here. */
const resuming = `<div id="again" hidden>
<p>An upload from this browser isn’t finished. Choose the same file again to resume it.</p>
<button type="button" id="choose" class="primary">Choose the file</button>
<input type="file" id="files" aria-label="Files to upload" hidden>
</div>
<p id="told" role="status"></p>
<ul id="list" aria-label="Uploads"></ul>
<script type="module" src="/upload-page.js"></script>`;

export function writeDeadPage(code: ErrorCode): string {
  const [title, text] = deadPages[code] ?? ['Something went wrong', 'Try again in a minute.'];
  const more = code === 'presigned_used' ? resuming : '';
  return writePage(title, `<main id="upload"><h1>${title}</h1><p>${text}</p>${more}</main>`);
}

const filePages: Readonly<Partial<Record<ErrorCode, readonly [string, string]>>> = {
  link_expired: ['This link has expired', 'Ask for a new one where you got it.'],
  not_found: ['File not found', 'It may have been deleted, it may be private, or the link is incomplete.'],
};

export function writeMissingFilePage(code: ErrorCode): string | null {
  const page = filePages[code];
  return page ? writePage(page[0], `<main id="upload"><h1>${page[0]}</h1><p>${page[1]}</p></main>`) : null;
}

function writePage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeText(title)}</title>
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/upload-page.css">
</head>
<body>
${body}
</body>
</html>
`;
}

function formatMebibytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${Number((bytes / 1024).toFixed(1))} KiB`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/**
 * Sends a file through the page's upload URL: whole, or in chunks that resume after a break. Repeats parts of `uploads/tus.ts`, because the
 * page is one small script without imports.
 */

type Sending = {
  /** The path of the upload URL. */
  address: string;
  file: File;
  onShare: (share: number) => void;
  signal: AbortSignal;
};

/** The service does not accept this file, or any more files, so a retry is useless. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const pieceBytes = 8 * 1024 * 1024; // the most to send again after a break; smaller files are sent whole
const trialsMax = 8; // retries without progress; some minutes in all
const protocol = { 'Tus-Resumable': '1.0.0' };

export async function sendFile(sending: Sending): Promise<void> {
  if (sending.file.size > pieceBytes) return await sendPieces(sending);
  const form = new FormData();
  form.set('file', sending.file, sending.file.name);
  const { status, text } = await request(sending, {
    method: 'POST',
    address: sending.address,
    headers: {},
    body: form,
  });
  if (status !== 200) throw failureOf(status, text);
}

async function sendPieces(sending: Sending): Promise<void> {
  const { file, onShare, signal } = sending;
  const key = `${beginKey(sending.address)}${file.name} ${file.size} ${file.lastModified}`;
  let place = recall(key);
  let offset = place === null ? 0 : await readOffset(place).catch(() => null);
  if (place === null || offset === null) {
    place = await begin(sending);
    offset = 0;
    remember(key, place);
  }
  for (let trials = 0; offset < file.size; ) {
    signal.throwIfAborted();
    const from: number = offset;
    const body = file.slice(from, from + pieceBytes);
    const headers = {
      ...protocol,
      'Upload-Offset': String(from),
      'Content-Type': 'application/offset+octet-stream',
    };
    const share = (sent: number) => onShare((from + sent * body.size) / file.size);
    const answer = await request(
      { ...sending, onShare: share },
      { method: 'PATCH', address: place, headers, body },
    ).catch(() => null);
    if (answer?.status === 204) {
      offset = Number(answer.offset);
      trials = 0;
      continue;
    }
    const isFinal = answer !== null && isRefusal(answer.status);
    if (isFinal) forget(key);
    if (isFinal || ++trials >= trialsMax)
      throw answer === null ? lost() : failureOf(answer.status, answer.text);
    await waitForConnection(1000 * 2 ** (trials - 1), signal);
    // The service may have kept part of the chunk.
    offset = (await readOffset(place).catch(() => null)) ?? from;
  }
  forget(key);
}

async function begin({ address, file }: Sending): Promise<string> {
  const headers = {
    ...protocol,
    'Upload-Length': String(file.size),
    'Upload-Metadata': `filename ${btoa(String.fromCharCode(...new TextEncoder().encode(file.name)))}`,
  };
  const answer = await fetch(`${address}/resumable`, { method: 'POST', headers }).catch(() => {
    throw lost();
  });
  // Always reads the body to its end, or the browser would cut the connection.
  const text = await answer.text();
  if (answer.status !== 201) throw failureOf(answer.status, text);
  return new URL(answer.headers.get('Location') ?? '', location.href).pathname;
}

/** Returns null if the service no longer knows the upload. */
async function readOffset(place: string): Promise<number | null> {
  const answer = await fetch(place, { method: 'HEAD', headers: protocol });
  const offset = answer.headers.get('Upload-Offset');
  return answer.ok && offset !== null ? Number(offset) : null;
}

type Asked = { method: string; address: string; headers: Record<string, string>; body: FormData | Blob };
type Answer = { status: number; text: string; offset: string | null };

/** Uses XMLHttpRequest, because `fetch` reports no upload progress. */
function request({ onShare, signal }: Sending, { method, address, headers, body }: Asked): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = new XMLHttpRequest();
  const stop = () => sent.abort();
  sent.upload.onprogress = ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0);
  sent.onload = () =>
    resolve({
      status: sent.status,
      text: sent.responseText,
      offset: sent.getResponseHeader('Upload-Offset'),
    });
  sent.onerror = () => reject(lost());
  sent.onabort = () => reject(new Error('Stopped.'));
  sent.onloadend = () => signal.removeEventListener('abort', stop);
  sent.open(method, address);
  for (const [name, value] of Object.entries(headers)) sent.setRequestHeader(name, value);
  signal.addEventListener('abort', stop, { once: true });
  sent.send(body);
  return promise;
}

function lost(): Error {
  return new Error('Connection lost.');
}

/** True if the error is final; temporary ones may pass. */
function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500 && ![408, 409, 423, 429, 460].includes(status)) || status === 507;
}

function failureOf(status: number, text: string): Error {
  const sentence = readSentence(text) ?? `The service responded with status ${status}.`;
  return isRefusal(status) || status === 409 ? new Refusal(status, sentence) : new Error(sentence);
}

function readSentence(text: string): string | null {
  try {
    const answer: unknown = JSON.parse(text);
    const isError = typeof answer === 'object' && answer !== null && 'error' in answer;
    return isError && typeof answer.error === 'string' ? answer.error : null;
  } catch {
    return null; // a proxy may answer anything
  }
}

/** Waits at least this long, and until there is a network. */
async function waitForConnection(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isConnected = () => navigator.onLine && resolve();
  const timer = setTimeout(isConnected, ms);
  addEventListener('online', isConnected);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  removeEventListener('online', isConnected);
}

/** Counts the uploads through this URL that broke off in this browser. */
export function countInterrupted(address: string): number {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(beginKey(address))).length;
  } catch {
    return 0;
  }
}

function beginKey(address: string): string {
  return `tapedeck.upload ${address} `;
}

/** Storage may be forbidden; then an upload starts over after a reload. */
function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, place: string): void {
  try {
    localStorage.setItem(key, place);
  } catch {
    // As above.
  }
}

function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // As above.
  }
}

/** Script of an upload link's page: takes files, uploads two at a time, and shows each result. */
import { countInterrupted, Refusal, sendFile } from './sending.ts';

const atOnceMax = 2; // phones have slow connections

type Line = {
  item: HTMLLIElement;
  file: File;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  stop: AbortController;
};

const page = document.querySelector<HTMLElement>('#upload');
const address = location.pathname.replace(/\/+$/, '');
const lines: Line[] = [];
const again = document.querySelector<HTMLElement>('#again');
/** Even after the URL is used up, this browser may finish its interrupted uploads. */
let usesLeft = again ? countInterrupted(address) : Number(page?.dataset.usesLeft);
if (again && usesLeft > 0) again.hidden = false;

if (page) {
  const bytesMax = Number(page.dataset.bytesMax ?? Number.POSITIVE_INFINITY);
  const time = page.querySelector('time');
  // The service does not know the reader's time zone.
  if (time)
    time.textContent = new Date(Number(page.dataset.expiresAt)).toLocaleString([], {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
  for (const [button, input] of [
    ['#choose', '#files'],
    ['#camera', '#shot'],
  ] as const) {
    const field = page.querySelector<HTMLInputElement>(input);
    page.querySelector(button)?.addEventListener('click', () => field?.click());
    field?.addEventListener('change', () => {
      add([...(field.files ?? [])], bytesMax);
      field.value = '';
    });
  }
  acceptDrops(files => add(files, bytesMax));
  addEventListener('beforeunload', event => {
    if (lines.some(({ state }) => state === 'waiting' || state === 'sending')) event.preventDefault();
  });
}

function acceptDrops(take: (files: File[]) => void): void {
  const zone = document.querySelector('#drop');
  for (const kind of ['dragover', 'dragleave', 'drop'] as const) {
    addEventListener(kind, event => {
      event.preventDefault();
      zone?.classList.toggle('over', kind === 'dragover');
      if (kind === 'drop') take([...(event.dataTransfer?.files ?? [])]);
    });
  }
  addEventListener('paste', event => take([...(event.clipboardData?.files ?? [])]));
}

function add(files: readonly File[], bytesMax: number): void {
  for (const file of files) {
    const item = document.createElement('li');
    const name = document.createElement('span');
    name.className = 'name';
    name.textContent = file.name;
    const state = document.createElement('span');
    state.className = 'state';
    item.append(name, state);
    document.querySelector('#list')?.append(item);
    const line: Line = { item, file, state: 'waiting', stop: new AbortController() };
    lines.push(line);
    if (file.size > bytesMax)
      show(
        line,
        'failed',
        `Too large. This file is ${formatSize(file.size)}, the limit is ${formatSize(bytesMax)}.`,
      );
    else show(line, 'waiting', 'Waiting');
  }
  sendNext();
}

function sendNext(): void {
  const sending = lines.filter(({ state }) => state === 'sending').length;
  const waiting = lines.filter(({ state }) => state === 'waiting');
  for (const line of waiting.slice(0, Math.max(0, Math.min(atOnceMax, usesLeft) - sending))) void send(line);
  if (usesLeft <= 0) {
    for (const line of lines.filter(({ state }) => state === 'waiting'))
      show(line, 'failed', 'The link allows no more files.');
    for (const button of document.querySelectorAll<HTMLButtonElement>('#choose, #camera'))
      button.disabled = true;
  }
  showProgress();
}

async function send(line: Line): Promise<void> {
  show(line, 'sending', '0 %');
  const bar = document.createElement('progress');
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute('aria-label', `Upload of ${line.file.name}`);
  line.item.append(bar);
  const onShare = (share: number) => {
    bar.value = share;
    show(line, 'sending', navigator.onLine ? `${Math.floor(share * 100)} %` : 'Waiting for the connection');
  };
  try {
    await sendFile({ address, file: line.file, onShare, signal: line.stop.signal });
    usesLeft -= 1;
    show(line, 'done', 'Uploaded');
  } catch (error) {
    if (error instanceof Refusal && [401, 409, 410].includes(error.status)) usesLeft = 0;
    show(line, 'failed', error instanceof Error ? error.message : String(error));
    if (!(error instanceof Refusal)) addRetry(line);
  }
  bar.remove();
  sendNext();
}

function addRetry(line: Line): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Try again';
  button.setAttribute('aria-label', `Try again: ${line.file.name}`);
  button.addEventListener('click', () => {
    button.remove();
    show(line, 'waiting', 'Waiting');
    sendNext();
  });
  line.item.append(button);
}

function show(line: Line, state: Line['state'], words: string): void {
  line.state = state;
  line.item.dataset.state = state;
  const told = line.item.querySelector('.state');
  if (told) told.textContent = words;
}

function showProgress(): void {
  const count = (state: Line['state']) => lines.filter(line => line.state === state).length;
  const open = count('waiting') + count('sending');
  const failed = count('failed');
  const kept = `${count('done')} of ${lines.length} uploaded`;
  const words =
    open > 0
      ? `Uploading: ${kept}`
      : `${kept}${failed > 0 ? `, ${failed} failed` : ''}${usesLeft <= 0 ? '. The link is used up.' : ''}`;
  const told = document.querySelector('#told');
  if (told && lines.length > 0) told.textContent = words;
}

function formatSize(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${Number((bytes / 1024).toFixed(1))} KiB`;
}

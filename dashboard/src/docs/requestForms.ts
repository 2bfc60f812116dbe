/** Forms that send the request they describe and show the response. */

const tokenKey = 'tapedeck.docs.token';
const shownCharactersMax = 20_000; // a longer text makes the page slow

export function enableForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('details.try form')) {
    form.addEventListener('submit', event => {
      event.preventDefault();
      void send(form);
    });
    const token = form.querySelector<HTMLInputElement>('[data-in=token]');
    if (token !== null) form.closest('details')?.addEventListener('toggle', () => fillToken(token));
  }
}

async function send(form: HTMLFormElement): Promise<void> {
  const output = form.parentElement?.querySelector('output');
  if (!output) return;
  output.textContent = 'Sending…';
  const startedAt = performance.now();
  try {
    const response = await fetch(...composeRequest(form));
    const text = await response.text();
    const tookMs = Math.round(performance.now() - startedAt);
    showAnswer(output, `${response.status} ${response.statusText} · ${tookMs} ms`, format(text));
  } catch (error) {
    showAnswer(output, 'No answer', error instanceof Error ? error.message : String(error));
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function composeRequest(form: HTMLFormElement): [string, RequestInit] {
  let path = form.dataset.path ?? '';
  const query = new URLSearchParams();
  const headers = new Headers();
  let body: BodyInit | null = null;
  for (const field of form.querySelectorAll<Field>('[data-in]')) {
    const { name, value } = field;
    const place = field.dataset.in;
    if (place === 'path') path = path.replace(`{${name}}`, encodePath(value));
    else if (place === 'query' && value !== '') query.set(name, value);
    else if (place === 'header' && value !== '') headers.set(name, value);
    else if (place === 'token') takeToken(headers, value);
    else if (place === 'file') body = composeForm(field, name);
    else if (place === 'json' || place === 'text') {
      headers.set(
        'content-type',
        place === 'json' ? 'application/json' : (field.dataset.type ?? 'text/plain'),
      );
      body = value;
    }
  }
  const search = query.size > 0 ? `?${query}` : '';
  return [
    `${path}${search}`,
    { method: form.dataset.method ?? 'GET', headers, body, credentials: 'same-origin' },
  ];
}

/** File keys contain slashes. */
function encodePath(value: string): string {
  return value.split('/').map(encodeURIComponent).join('/');
}

function composeForm(field: Field, name: string): FormData {
  const form = new FormData();
  const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined;
  if (file !== undefined) form.set(name, file);
  return form;
}

/** Keeps the token in this tab only, so that users enter it once for all forms. */
function takeToken(headers: Headers, token: string): void {
  if (token !== '') headers.set('authorization', token);
  try {
    sessionStorage.setItem(tokenKey, token);
  } catch {
    // Storage may be forbidden.
  }
}

function fillToken(field: HTMLInputElement): void {
  try {
    if (field.value === '') field.value = sessionStorage.getItem(tokenKey) ?? '';
  } catch {
    // Storage may be forbidden.
  }
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function showAnswer(output: HTMLOutputElement, title: string, text: string): void {
  const heading = document.createElement('strong');
  heading.textContent = title;
  const block = document.createElement('pre');
  const rest = text.length - shownCharactersMax;
  block.tabIndex = 0;
  block.textContent = rest > 0 ? `${text.slice(0, shownCharactersMax)}\n… and ${rest} more characters` : text;
  output.replaceChildren(heading, ...(text === '' ? [] : [block]));
}

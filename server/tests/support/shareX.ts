/** Simulates ShareX, a Windows program: sends what its `.sxcu` file says and reads the response as ShareX does. */
import assert from 'node:assert/strict';

/** A `.sxcu` file as ShareX documents it. */
export type ShareXUploader = {
  Version: string;
  DestinationType: string;
  RequestMethod: string;
  RequestURL: string;
  Headers: Record<string, string>;
  Body: string;
  Arguments?: Record<string, string>;
  FileFormName: string;
  URL: string;
  ErrorMessage: string;
};

type Picture = { name: string; bytes: Uint8Array<ArrayBuffer> };

/** Returns the address that ShareX copies, or the reason for having none. */
export async function playShareX(
  uploader: ShareXUploader,
  { name, bytes }: Picture,
): Promise<{ url?: string; error?: string }> {
  assert.match(uploader.Version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual(uploader.DestinationType.split(', '), ['ImageUploader', 'FileUploader']);
  assert.equal(uploader.Body, 'MultipartFormData');
  const fill = (fields: Record<string, string> = {}) =>
    Object.entries(fields).map(([field, text]): [string, string] => [field, evaluate(fillNames(text), {})]);
  const form = new FormData();
  for (const [field, text] of fill(uploader.Arguments)) form.set(field, text);
  form.set(uploader.FileFormName, new Blob([bytes]), name);
  const response = await fetch(evaluate(uploader.RequestURL, {}), {
    method: uploader.RequestMethod,
    headers: fill(uploader.Headers),
    body: form,
  });
  const answer: unknown = await response.json();
  return response.ok
    ? { url: evaluate(uploader.URL, answer) }
    : { error: evaluate(uploader.ErrorMessage, answer) };
}

/** Replaces `%y` with the year, and so on, unless a backslash precedes it. */
function fillNames(text: string): string {
  return text.replaceAll(/(\\.)|%[a-z]+/g, (_whole, escaped: string | undefined) => escaped ?? '2026');
}

/** Evaluates `{json:a.b}` on the response. A backslash escapes the next character; an open bar ends the text. */
function evaluate(text: string, answer: unknown): string {
  let result = '';
  for (const [part] of text.matchAll(/\\.|\{[^{}]*\}|[^\\]/g)) {
    if (part === '|' || part === '}') break;
    const [, path] = /^\{json:(.*)\}$/.exec(part) ?? [];
    assert.ok(
      path !== undefined || !part.startsWith('{'),
      `${part} is not a function that the file should use`,
    );
    if (path !== undefined) result += find(answer, path);
    else result += part.startsWith('\\') ? part.slice(1) : part;
  }
  return result;
}

function find(answer: unknown, path: string): string {
  let value: unknown = answer;
  for (const name of path.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : '';
  return String(value);
}

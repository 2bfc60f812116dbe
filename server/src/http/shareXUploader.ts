/** The file with which ShareX, a screenshot program, uploads; the guide in docs/connect/sharex.md has the same. */

type Uploader = { address: string; token: string; path: string };

export function composeShareXUploader({ address, token, path }: Uploader): Record<string, unknown> {
  return {
    Version: '17.0.0',
    Name: 'Tapedeck',
    DestinationType: 'ImageUploader, FileUploader',
    RequestMethod: 'POST',
    RequestURL: `${address}/api/v3/file`,
    Headers: { Authorization: `Bearer ${token}` },
    Body: 'MultipartFormData',
    ...(path !== '' && { Arguments: { path: escapeText(path) } }),
    FileFormName: 'file',
    URL: '{json:data.url}',
    ErrorMessage: '{json:error}',
  };
}

/** Braces and bars are signs of its own language, and `%d` is the day. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\{}|%]/g, '\\$&');
}

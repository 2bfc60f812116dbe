/** The upload configuration for ShareX, a screenshot program. The guide in docs/connect/sharex.md shows the same. */

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

/** Escapes ShareX's own syntax: braces, bars, and `%d`, the day. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\{}|%]/g, '\\$&');
}

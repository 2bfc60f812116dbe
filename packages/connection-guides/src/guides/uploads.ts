/** Programs that upload pictures, videos and sounds. */
import type { Guide } from '../guide.ts';
import { uploads } from '../tokens.ts';

export const uploadGuides: readonly Guide[] = [
  {
    id: 'sharex',
    title: 'ShareX',
    group: 'Screenshots and uploads',
    about: 'Takes a screenshot or a recording, uploads it, and leaves the address in the clipboard.',
    sends: 'media',
    words: ['screenshot', 'windows', 'sxcu', 'uploader', 'gif', 'capture'],
    door: 'upload',
    token: uploads,
    install: null,
    snippets: [
      {
        name: 'tapedeck.sxcu',
        language: 'json',
        isFile: true,
        write: ({ address, token, folder }) => `${JSON.stringify(
          {
            Version: '17.0.0',
            Name: 'Tapedeck',
            DestinationType: 'ImageUploader, FileUploader',
            RequestMethod: 'POST',
            RequestURL: `${address}/api/v3/file`,
            Headers: { Authorization: `Bearer ${token}` },
            Body: 'MultipartFormData',
            ...(folder !== '' && { Arguments: { path: folder } }),
            FileFormName: 'file',
            URL: '{json:data.url}',
            ErrorMessage: '{json:error}',
          },
          null,
          2,
        )}
`,
      },
    ],
    test: {
      name: 'In ShareX',
      language: 'text',
      write: () => 'Open the file, agree to use it, and press Ctrl + Print Screen.',
    },
    notes: [
      {
        sees: 'Unsupported media',
        means: 'Pictures, videos and sounds are taken; texts and archives are not.',
      },
    ],
  },
];

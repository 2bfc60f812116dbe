/** Public media: immutable, whole or in ranges, with images in smaller sizes. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { describedWords } from './values.ts';

const sizes = ['320', '640', '960', '1280', '1920'];

export const readMedia = defineRoute({
  id: 'readMedia',
  method: 'GET',
  path: '/media/{project}/{key*}',
  area: 'Files',
  summary:
    'Download a file, with ranges and conditional requests as in RFC 9110. Use ?w=, ?h=, ?fit= and ?format= to resize or convert an image, ?poster for a still of a video, ?strip for four stills in a row, ?waveform for a picture of a sound, and ?download=1 to save the file. Private files need a signed link.',
  access: { by: 'anyone' },
  params: Type.Object({ project: Type.String(), key: Type.String() }),
  query: Type.Object({
    w: Type.Optional(
      Type.String({ description: 'An image of at most this width.', [describedWords]: sizes }),
    ),
    h: Type.Optional(
      Type.String({ description: 'An image of at most this height.', [describedWords]: sizes }),
    ),
    fit: Type.Optional(
      Type.String({
        description:
          'With w and h: inside keeps the whole image within them (the default), cover fills them and cuts, contain fills them with borders.',
        [describedWords]: ['inside', 'cover', 'contain'],
      }),
    ),
    format: Type.Optional(
      Type.String({
        description:
          'Format of an image in another size, WebP by default; alone it keeps the size, up to 4096 pixels.',
        [describedWords]: ['webp', 'avif', 'jpeg'],
      }),
    ),
    poster: Type.Optional(
      Type.String({
        description: 'Of a video: a still picture, in the forms that images have. 404 where there is none.',
      }),
    ),
    strip: Type.Optional(
      Type.String({
        description:
          'Of a video: four stills side by side, from beginning to end, with w and format. 404 where there is none.',
      }),
    ),
    waveform: Type.Optional(
      Type.String({
        description:
          'Of a sound, or a video with sound: a picture of its loudness over time, with w and format. 404 where there is none.',
      }),
    ),
    expires: Type.Optional(Type.String({ description: 'Of a signed link to a private file.' })),
    signature: Type.Optional(Type.String({ description: 'Of a signed link to a private file.' })),
    download: Type.Optional(Type.String({ description: '1: as an attachment.' })),
  }),
  answer: Type.String(),
  answerType: '*/*',
  otherAnswers: { 206: 'The ranges that were asked for.', 304: 'What the client has is still good.' },
  errors: [
    'not_found',
    'link_expired',
    'precondition_failed',
    'range_unsatisfiable',
    'image_undecodable',
    'image_too_large',
    'overloaded',
    'disk_full',
  ],
});

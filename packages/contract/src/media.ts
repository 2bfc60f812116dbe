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
      Type.String({ description: 'Maximum width of the image in pixels.', [describedWords]: sizes }),
    ),
    h: Type.Optional(
      Type.String({ description: 'Maximum height of the image in pixels.', [describedWords]: sizes }),
    ),
    fit: Type.Optional(
      Type.String({
        description:
          'With w and h: inside keeps the whole image within them (the default), cover fills them and crops, contain adds borders.',
        [describedWords]: ['inside', 'cover', 'contain'],
      }),
    ),
    format: Type.Optional(
      Type.String({
        description:
          'Format of a resized image, WebP by default. Without w or h, the size stays, up to 4096 pixels.',
        [describedWords]: ['webp', 'avif', 'jpeg'],
      }),
    ),
    poster: Type.Optional(
      Type.String({
        description: 'Returns a still of a video, with the options of images. 404 if there is none.',
      }),
    ),
    strip: Type.Optional(
      Type.String({
        description:
          'Returns four stills of a video in a row, from start to end. Takes w and format. 404 if there are none.',
      }),
    ),
    waveform: Type.Optional(
      Type.String({
        description:
          'For a sound, or a video with sound: returns a picture of its loudness over time. Takes w and format. 404 if there is none.',
      }),
    ),
    expires: Type.Optional(Type.String({ description: 'Expiry of a signed link to a private file.' })),
    signature: Type.Optional(Type.String({ description: 'Signature of a signed link to a private file.' })),
    download: Type.Optional(Type.String({ description: '1: download the file as an attachment.' })),
  }),
  answer: Type.String(),
  answerType: '*/*',
  otherAnswers: { 206: 'The requested ranges.', 304: 'The client still has the current copy.' },
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

/** GELF over HTTP: what it stores, refuses, and reads in bounded time. */
import { deflateSync, gzipSync } from 'node:zlib';
import { fill, fillCounted } from '../../support/hostileBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/gelf';
const message = '{"short_message":"a"}';
const farTooMuch = 3 * 1024 * 1024; // more than 100,000 messages

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'GELF, compressed by zlib, without a content type',
      sent: ({ dataset, token }) => ({
        path: `${path}?dataset=${dataset}&apiKey=${token}`,
        type: '',
        headers: {},
        body: deflateSync('{"version":"1.1","host":"h","short_message":"s","level":4,"_player":"Ann"}'),
      }),
      status: 202,
      body: null,
      entries: ['warn h: s {"host":"h","player":"Ann"}'],
    },
    {
      title: 'GELF that ends with NUL, as over TCP',
      sent: ({ dataset, token }) => ({
        path: `${path}?dataset=${dataset}&apiKey=${token}`,
        type: '',
        headers: {},
        body: '{"version":"1.1","host":"h","short_message":"s","level":4}\0',
      }),
      status: 202,
      body: null,
      entries: ['warn h: s {"host":"h"}'],
    },
    {
      title: 'GELF without a text, from graypy with compression',
      sent: ({ dataset, token }) => ({
        path: `${path}?dataset=${dataset}&apiKey=${token}`,
        type: '',
        headers: {},
        body: deflateSync(
          '{"version": "1.1", "host": "vm", "short_message": "", "timestamp": 1764550543.99, "level": 6, "facility": "a.x", "_stack_info": null}',
        ),
      }),
      status: 202,
      body: null,
      entries: ['info vm:  {"host":"vm","facility":"a.x","stack_info":"null"}'],
    },
  ],
  refused: [
    {
      title: 'GELF without a token',
      sent: { path, body: '{}', headers: {} },
      status: 401,
      says: /^\{"error":"Send an API token[^"]+","code":"token_missing"\}$/,
    },
    {
      title: 'GELF without a message',
      sent: { path, body: '{"host":"h"}' },
      status: 400,
      says: /"Message 0 must have a short_message\.","code":"bad_request","field":"short_message","index":0\}$/,
    },
    { title: 'GELF that is not JSON', sent: { path, body: '{' }, status: 400, says: /"code":"invalid_json"/ },
    {
      title: 'GELF that is not an object',
      sent: { path, body: '7' },
      status: 400,
      says: /Message 0 must be an object/,
    },
    { title: 'empty GELF', sent: { path, body: '' }, status: 400, says: /send an object/ },
    {
      title: 'truncated GELF',
      sent: { path, body: gzipSync('{"short_message":"s"}').subarray(0, 20) },
      status: 400,
      says: /The body does not match/,
    },
  ],
  slow: [
    {
      path,
      size: 'medium and large',
      shapes: [
        { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
        { title: 'messages', make: bytes => fill(['', message, ''], bytes / 2), status: 202 },
        {
          title: 'more messages than allowed',
          make: () => fill(['', message, ''], farTooMuch),
          status: 413,
        },
        {
          title: 'fields of a message',
          make: bytes => fillCounted(['{"short_message":"a",', '}'], index => `"_k${index}":1`, bytes),
          status: 400,
        },
        {
          title: 'escapes of a message',
          make: bytes => fill(['{"short_message":"a","full_message":"', '\\u0061', '"}'], bytes),
          status: 400,
        },
      ],
    },
  ],
};

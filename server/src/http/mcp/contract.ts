/** The route of the Model Context Protocol, through which assistants read logs and files. */

import { defineRoute } from '@tapedeck/contract/route';
import Type from 'typebox';

const anyBody = Type.Unknown({ description: 'As the protocol defines it.' });

export const mcpRoute = defineRoute({
  isForeign: true,
  id: 'mcp',
  method: 'POST',
  area: 'doors',
  path: '/mcp',
  summary: 'Lists and calls the tools for assistants.',
  access: { by: 'token', kinds: ['logs', 'media'], action: 'read', apiKey: false },
  stream: { 'application/json': anyBody },
  answer: anyBody,
  errors: ['body_too_large', 'unsupported_content_type', 'invalid_json', 'not_acceptable', 'cross_site'],
});

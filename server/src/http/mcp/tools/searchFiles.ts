/** The tool that searches media files. */

import { listFiles } from '@tapedeck/domain/files/fileLookup';
import { parseFolderPath } from '@tapedeck/domain/files/folderPath';
import { searchFiles as search, usualSort } from '@tapedeck/domain/files/librarySearch';
import type { FileFilter } from '@tapedeck/domain/ports/files';
import { mediaTypes } from '@tapedeck/domain/vocabulary';
import { parseFileQuery } from '@tapedeck/log-query-language';
import Type from 'typebox';
import { composeAnswer, fitRows, rowsMax } from './dataText.ts';
import { presentFile } from './fileRows.ts';
import { defineTool, limitOf, type ToolCall, type ToolDeps } from './tool.ts';

const limitDefault = 50;

export const searchFiles = defineTool({
  name: 'search_files',
  title: 'Search media files',
  description:
    'Finds pictures, videos and recordings, newest first, and counts all matches. get_file shows one.',
  kind: 'media',
  input: Type.Object({
    query: Type.Optional(
      Type.String({
        description:
          'Which files. Words occur in name, path or metadata; name:part*, path:clips/*, type:image, mimeType:…, size:>1000000, width:>1000, duration:<10, id:…, and any path of metadata, such as player.id:42; joined by AND (or a blank), OR, NOT or -, and brackets. All files when left out.',
      }),
    ),
    path: Type.Optional(Type.String({ description: 'A folder. Finds files in it and below it.' })),
    type: Type.Optional(Type.Enum(mediaTypes, { description: `One of ${mediaTypes.join(', ')}.` })),
    limit: limitOf('How many files', limitDefault, rowsMax),
    cursor: Type.Optional(
      Type.String({ description: 'Continues after an earlier answer; copy it from there.' }),
    ),
  }),
  run: async (deps, given, call) => {
    const { query = '', path = '', type = null, cursor = '' } = given;
    const asked = {
      query: parseFileQuery(query),
      filter: { type, path: parseFolderPath(path), terms: [], metadata: [] },
      cursor: cursor === '' ? null : cursor,
      limit: Math.min(given.limit ?? limitDefault, rowsMax),
    };
    const page = await findPage(deps, call, asked);
    const rows = page.files.map(file => presentFile(deps, call.caller.project, file));
    const lines = fitRows(rows);
    // The cursor continues after a whole page, so a shorter page needs its own query.
    const isCut = lines.length < rows.length && lines.length > 0;
    const { nextCursor } = isCut ? await findPage(deps, call, { ...asked, limit: lines.length }) : page;
    const sentences = [`${page.total} files match; here are ${lines.length}.`];
    if (nextCursor !== null)
      sentences.push(
        `There are more. Ask again with cursor "${nextCursor}" for the next ones, or narrow query.`,
      );
    return composeAnswer(sentences, lines);
  },
});

type Asked = Pick<FilePageRequest, 'cursor' | 'limit'> & {
  query: ReturnType<typeof parseFileQuery>;
  filter: FileFilter;
};
type FilePageRequest = Parameters<typeof listFiles>[2];

function findPage(deps: ToolDeps, { caller }: ToolCall, { query, filter, ...asked }: Asked) {
  const page = { ...filter, ...asked, page: 1 };
  return query === null
    ? listFiles(deps, caller, page)
    : search(deps, caller, { ...page, query, sort: usualSort });
}

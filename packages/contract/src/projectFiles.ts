/** Files of a project for signed-in users: the same requests and responses as V3. */
import Type from 'typebox';
import * as actions from './fileActions.ts';
import * as files from './files.ts';
import { defineRoute } from './route.ts';
import { Id, Instant, nullable, ProjectParams } from './values.ts';
import { limits, mediaTypes } from './vocabulary.ts';

const area = 'Files of a project';
const path = '/api/manage/projects/{project}/files';
const reads = { by: 'person', role: 'viewer' } as const;
const changes = { by: 'person', role: 'member' } as const;
const FileParams = Type.Object({
  ...ProjectParams.properties,
  ...files.getFile.params.properties,
});

export const listProjectFiles = defineRoute({
  ...files.listFiles,
  id: 'listProjectFiles',
  path,
  area,
  access: reads,
  params: ProjectParams,
});

export const listProjectFolders = defineRoute({
  ...actions.listFolders,
  id: 'listProjectFolders',
  path: `${path}/folders`,
  area,
  access: reads,
  params: ProjectParams,
});

export const moveProjectFolder = defineRoute({
  ...actions.moveFolder,
  id: 'moveProjectFolder',
  path: `${path}/folders/move`,
  area,
  access: changes,
  params: ProjectParams,
});

export const archiveProjectFiles = defineRoute({
  ...actions.archiveFiles,
  id: 'archiveProjectFiles',
  path: `${path}/archive`,
  area,
  access: reads,
  params: ProjectParams,
});

export const matchProjectFiles = defineRoute({
  ...actions.matchFiles,
  id: 'matchProjectFiles',
  path: `${path}/matches`,
  area,
  access: reads,
  params: ProjectParams,
});

export const getProjectFile = defineRoute({
  ...files.getFile,
  id: 'getProjectFile',
  path: `${path}/{file*}`,
  area,
  access: reads,
  params: FileParams,
});

export const uploadProjectFile = defineRoute({
  id: 'uploadProjectFile',
  method: 'POST',
  path,
  area,
  summary: 'Upload an image, video or audio file as a form.',
  access: changes,
  params: ProjectParams,
  stream: { 'multipart/form-data': files.uploadFile.stream['multipart/form-data'] },
  answer: Type.Object({ data: files.FileRecord, status: files.UploadResponse.properties.status }),
  errors: files.uploadFile.errors,
});

export const deleteProjectFile = defineRoute({
  ...files.deleteFile,
  id: 'deleteProjectFile',
  path: `${path}/{file*}`,
  area,
  access: changes,
  params: FileParams,
});

export const listProjectUploadLinks = defineRoute({
  id: 'listProjectUploadLinks',
  method: 'GET',
  path: '/api/manage/projects/{project}/presigned-urls',
  area,
  summary: 'List the upload links that you made, newest first, at most 20, with what arrived through each.',
  access: changes,
  params: ProjectParams,
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        id: Id,
        path: Type.String({ description: 'Folder for the uploads. Empty means any.' }),
        type: nullable(Type.Enum(mediaTypes)),
        uses: Type.Integer({ description: 'Number of uploads that the link allows.' }),
        createdAt: Instant,
        expiresAt: Instant,
        files: Type.Integer({ description: 'Number of files uploaded through the link that still exist.' }),
        bytes: Type.Integer({ description: 'Total size of these files in bytes.' }),
        query: Type.String({ description: 'Query that finds these files.', examples: ['uploadLink:0Zk…'] }),
      }),
    ),
    status: Type.Literal('ok'),
  }),
  errors: [],
});

/** Not below the files' path, because that may be the key of a file. */
export const createProjectPresignedUrl = defineRoute({
  ...files.createPresignedUrl,
  id: 'createProjectPresignedUrl',
  method: 'POST',
  path: '/api/manage/projects/{project}/presigned-urls',
  area,
  access: changes,
  params: ProjectParams,
  query: Type.Object({
    ...files.createPresignedUrl.query.properties,
    filename: Type.Optional(
      Type.String({
        maxLength: limits.nameCharactersMax,
        description:
          'Name of the one file that you upload yourself. The audit log shows it, and the URL is not listed as an upload link.',
      }),
    ),
  }),
});

export const updateProjectFile = defineRoute({
  ...actions.updateFile,
  id: 'updateProjectFile',
  path: `${path}/{file*}`,
  area,
  access: changes,
  params: FileParams,
});

export const restoreProjectFile = defineRoute({
  ...actions.restoreFile,
  id: 'restoreProjectFile',
  path: `${path}/{file}/restore`,
  area,
  access: changes,
  params: Type.Object({ ...ProjectParams.properties, ...actions.restoreFile.params.properties }),
});

export const linkProjectFile = defineRoute({
  ...actions.linkFile,
  id: 'linkProjectFile',
  path: `${path}/{file}/link`,
  area,
  access: reads,
  params: restoreProjectFile.params,
});

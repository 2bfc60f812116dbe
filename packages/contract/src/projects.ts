/** Projects and their settings. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Days, Instant, Name, nullable, ProjectParams, RoleName, Slug } from './values.ts';
import { fileVisibilities, limits, patterns } from './vocabulary.ts';

const area = 'Projects';

export const Retention = Type.Object({
  image: Days,
  video: Days,
  audio: Days,
  folders: Type.Array(
    Type.Object({ path: Type.String({ minLength: 1, maxLength: limits.pathBytesMax }), days: Days }),
    {
      maxItems: limits.folderRulesMax,
      description: 'Rules for folders. They override the rules by type; the longest path wins.',
    },
  ),
});

const TrashDays = Type.Union([Type.Integer({ minimum: 1, maximum: limits.trashDaysMax }), Type.Null()], {
  description: 'Days for which deleted files can be restored; null: there is no trash.',
});
const FolderVisibilities = Type.Object({
  folders: Type.Array(
    Type.Object({
      path: Type.String({
        maxLength: limits.pathBytesMax,
        description: 'Folder, including all below it; empty for all files of the project.',
      }),
      visibility: Type.Enum(fileVisibilities),
    }),
    {
      maxItems: limits.folderRulesMax,
      description: "The longest matching path applies; a file's own visibility takes precedence.",
    },
  ),
});
const StripLocation = Type.Boolean({
  description: 'Whether locations are removed from images and videos before they are stored.',
});

const Paths = (minItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: limits.ruleFieldCharactersMax }), {
    minItems,
    maxItems: limits.subjectPathsMax,
    description,
  });
export const SubjectKindRecord = Type.Object({
  kind: Type.String({
    pattern: patterns.subjectKind,
    description: 'Letters, digits, - and _, starting with a letter, at most 32 characters.',
    examples: ['player'],
  }),
  idPaths: Paths(1, 'Metadata paths that hold the id.'),
  namePaths: Paths(0, 'Metadata paths that hold the name.'),
});
const SubjectKinds = Type.Array(SubjectKindRecord, {
  maxItems: limits.subjectKindsMax,
  description: 'Kinds of subjects that entries and files are about.',
});

const CdnDomain = Type.String({
  pattern: patterns.domain,
  maxLength: limits.domainCharactersMax,
  description: 'Host name, without https:// or a path.',
});
export const Quota = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Null(),
]);

export const ProjectRecord = Type.Object({
  project: Slug,
  name: Type.String(),
  role: RoleName,
  cdnDomain: nullable(Type.String()),
  cdnEnabled: Type.Boolean(),
  retention: Retention,
  bytesMax: Quota,
  filesMax: Quota,
  trashDays: TrashDays,
  visibility: FolderVisibilities,
  stripLocation: Type.Boolean(),
  subjects: SubjectKinds,
  createdAt: Instant,
});
const ProjectAnswer = Type.Object({ project: ProjectRecord });

export const listProjects = defineRoute({
  id: 'listProjects',
  method: 'GET',
  path: '/api/manage/projects',
  area,
  summary: 'List the projects in which the caller has a role.',
  access: { by: 'anyManager' },
  answer: Type.Object({ projects: Type.Array(ProjectRecord) }),
  errors: [],
});

export const createProject = defineRoute({
  id: 'createProject',
  method: 'POST',
  path: '/api/manage/projects',
  area,
  summary: 'Create a project. The slug comes from the name unless you give one, and never changes.',
  access: { by: 'owner' },
  body: Type.Object({ name: Name, slug: Type.Optional(Slug) }),
  answer: ProjectAnswer,
  errors: ['name_taken'],
});

export const getProject = defineRoute({
  id: 'getProject',
  method: 'GET',
  path: '/api/manage/projects/{project}',
  area,
  summary: 'Get the settings of a project.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: ProjectAnswer,
  errors: [],
});

export const updateProject = defineRoute({
  id: 'updateProject',
  method: 'PATCH',
  path: '/api/manage/projects/{project}',
  area,
  summary:
    'Change the settings of a project: name, CDN domain, media retention, trash, visibility and kinds of subjects. Owners of the installation can also change quotas.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      cdnDomain: Type.Optional(nullable(CdnDomain)),
      cdnEnabled: Type.Optional(Type.Boolean()),
      retention: Type.Optional(Type.Partial(Retention)),
      bytesMax: Type.Optional(Quota),
      filesMax: Type.Optional(Quota),
      trashDays: Type.Optional(TrashDays),
      visibility: Type.Optional(FolderVisibilities),
      stripLocation: Type.Optional(StripLocation),
      subjects: Type.Optional(SubjectKinds),
    },
    { examples: [{ name: 'Night City', trashDays: 7 }] },
  ),
  bodyBytesMax: limits.projectBodyBytesMax,
  answer: ProjectAnswer,
  errors: ['name_taken', 'path_invalid'],
});

export const deleteProject = defineRoute({
  id: 'deleteProject',
  method: 'DELETE',
  path: '/api/manage/projects/{project}',
  area,
  summary: 'Delete a project. Its tokens stop working at once, and its slug cannot be used again.',
  access: { by: 'manager', role: 'owner' },
  params: ProjectParams,
  answer: StatusOk,
  errors: ['default_project'],
});

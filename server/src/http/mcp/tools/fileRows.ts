/** Writes the rows about files that assistants read. */
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Project } from '@tapedeck/domain/ports/metadata';
import { writeFile } from '../../handlers/fileRecords.ts';
import { cutValues } from './dataText.ts';
import type { ToolDeps } from './tool.ts';

const metadataCharactersMax = 2_000;

export function presentFile(deps: ToolDeps, project: Project, file: StoredFile): object {
  const {
    id,
    metadata,
    originalUrl: _,
    key: __,
    retentionExempt: ___,
    ...record
  } = writeFile(deps, project, file);
  const { kept, left } = cutValues(metadata, metadataCharactersMax);
  return {
    id,
    ...record,
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
    ...(left > 0 && { metadataLeftOut: left }),
  };
}

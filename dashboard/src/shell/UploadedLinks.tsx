/** Offers actions for new uploads: copying their URLs and showing them in the list. */
import { Link } from '@tanstack/react-router';
import { countThings } from '../format/numbers.ts';
import { styleButton } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Icon } from '../ui/Icon.tsx';
import type { Upload } from '../uploads/uploadStates.ts';

export function UploadedLinks({ uploads }: { uploads: readonly Upload[] }) {
  const kept = uploads.filter(({ state }) => state.kind === 'kept');
  const files = kept.flatMap(({ state }) => (state.kind === 'kept' ? [state.file] : []));
  const [project, ...otherProjects] = new Set(kept.map(each => each.project));
  const folder = findCommonFolder(kept.map(each => each.folder));
  const isOnePlace = project !== undefined && otherProjects.length === 0 && folder !== '';
  if (files.length === 0 || (files.length === 1 && !isOnePlace)) return null;
  return (
    <div className="flex flex-wrap gap-2 border-t border-line px-4 py-2">
      {files.length > 1 && (
        <CopyButton
          text={() => files.map(({ url }) => url).join('\n')}
          label={`Copy ${countThings(files.length, 'URL')}`}
          showLabel
        />
      )}
      {isOnePlace && (
        <Link
          to="/projects/$project/files"
          params={{ project }}
          search={{ path: folder }}
          className={styleButton({ size: 'small' })}
        >
          <Icon name="folder" />
          Show in folder
        </Link>
      )}
    </div>
  );
}

/** Returns the deepest folder that contains all; '' if none. */
function findCommonFolder(folders: readonly string[]): string {
  const [first = [], ...others] = folders.map(folder => folder.split('/'));
  const different = first.findIndex((name, depth) => others.some(other => other[depth] !== name));
  return first.slice(0, different === -1 ? first.length : different).join('/');
}

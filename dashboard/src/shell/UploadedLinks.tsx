/** What to do with files that have just been uploaded: hand on their URLs, or see them where they lie. */
import { Link } from '@tanstack/react-router';
import { countThings } from '../format/numbers.ts';
import type { Upload } from '../queries/uploads.ts';
import { styleButton } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Icon } from '../ui/Icon.tsx';

export function UploadedLinks({ uploads }: { uploads: readonly Upload[] }) {
  const files = uploads.flatMap(({ state }) => (state.kind === 'kept' ? [state.file] : []));
  const places = new Map(uploads.map(({ project, folder }) => [`${project} ${folder}`, { project, folder }]));
  const [place] = places.values();
  const isOnePlace = places.size === 1 && place !== undefined && place.folder !== '';
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
          params={{ project: place.project }}
          search={{ path: place.folder }}
          className={styleButton({ size: 'small' })}
        >
          <Icon name="folder" />
          Show in folder
        </Link>
      )}
    </div>
  );
}

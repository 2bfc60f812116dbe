/** Shows a picture or icon of a file that an entry mentions, in its row. Loads by URL alone, once in sight. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fileHostsQuery } from '../../../queries/entryFiles.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { findMentionedFiles, type MentionedFile } from '../entry/mentionedFiles.ts';
import { findRowFile, type RowFile } from './rowFiles.ts';

const looks: Readonly<Record<RowFile['type'], { icon: IconName; label: string }>> = {
  image: { icon: 'picture', label: 'Picture' },
  video: { icon: 'film', label: 'Video' },
  audio: { icon: 'sound', label: 'Audio' },
};

type RowPictureProps = { project: string; entry: LogEntry };

export function RowPicture({ project, entry }: RowPictureProps) {
  const mentioned = findMentionedFiles(entry, project);
  return mentioned.length === 0 ? null : <OwnPicture project={project} mentioned={mentioned} />;
}

type OwnPictureProps = { project: string; mentioned: readonly MentionedFile[] };

/** Checks the host, because others may have the same paths. All rows share one query for the hosts. */
function OwnPicture({ project, mentioned }: OwnPictureProps) {
  const { data: hosts = [window.location.host] } = useQuery(fileHostsQuery(project));
  const file = findRowFile(mentioned, project, hosts);
  return file === null ? null : <Picture key={file.path} file={file} />;
}

/** Private files get an icon, because each picture would need a signature. The open entry shows them. */
function Picture({ file: { type, picture } }: { file: RowFile }) {
  const [hasFailed, setFailed] = useState(false);
  const { icon, label } = looks[type];
  if (picture === null || hasFailed)
    return (
      <span role="img" aria-label={label} title={label} className="mr-1.5 text-muted">
        <Icon name={icon} className="inline-block size-3.5 align-[-0.15em]" />
      </span>
    );
  return (
    <img
      src={picture}
      alt={label}
      draggable={false}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
      className="mr-1.5 inline-block h-4.5 w-7 rounded-sm bg-well object-cover align-middle"
    />
  );
}

/** A file as a small picture: of its content, or of its kind. */
import { useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { useMediaAddresses } from '../media.ts';

const icons: Readonly<Record<FileRecord['type'], IconName>> = {
  image: 'picture',
  video: 'film',
  audio: 'sound',
};

type ThumbnailProps = { project: string; file: FileRecord; className: string };

export function Thumbnail({ project, file, className }: ThumbnailProps) {
  const [failed, setFailed] = useState(false);
  const addresses = useMediaAddresses(project, file);
  if (file.type !== 'image' || failed || addresses === null) {
    return (
      <span className={`grid place-items-center bg-well text-muted ${className}`}>
        <Icon name={icons[file.type]} className="size-6!" />
      </span>
    );
  }
  return (
    <img
      src={addresses.picture(320)}
      alt=""
      draggable={false}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
      className={`bg-well object-cover ${className}`}
    />
  );
}

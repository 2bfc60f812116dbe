/** Shows a small picture of a file's content, or of its kind. */
import { useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { type MediaAddresses, useMediaAddresses } from '../media.ts';
import { VideoPreview } from './VideoPreview.tsx';

const icons: Readonly<Record<FileRecord['type'], IconName>> = {
  image: 'picture',
  video: 'film',
  audio: 'sound',
};

const pictures: Readonly<Record<FileRecord['type'], (addresses: MediaAddresses) => string>> = {
  image: addresses => addresses.picture(320),
  video: addresses => addresses.poster(320),
  audio: addresses => addresses.waveform(320),
};

type ThumbnailProps = { project: string; file: FileRecord; className: string };

export function Thumbnail({ project, file, className }: ThumbnailProps) {
  const [failed, setFailed] = useState(false);
  const addresses = useMediaAddresses(project, file);
  if (failed || addresses === null) {
    return (
      <span className={`grid place-items-center bg-well text-muted ${className}`}>
        <Icon name={icons[file.type]} className="size-6!" />
      </span>
    );
  }
  const still = (
    <img
      src={pictures[file.type](addresses)}
      alt=""
      draggable={false}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
      className={`bg-well ${file.type === 'audio' ? 'object-contain px-2' : 'object-cover'} ${file.type === 'video' ? 'size-full' : className}`}
    />
  );
  if (file.type !== 'video') return still;
  return (
    <VideoPreview address={addresses.strip} className={className}>
      {still}
    </VideoPreview>
  );
}

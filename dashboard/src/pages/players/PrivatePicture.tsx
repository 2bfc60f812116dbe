/** A private picture, small: shown by a link that ends soon, because its own address opens for nobody. */
import { useQuery } from '@tanstack/react-query';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { fileLinkQuery } from '../../queries/subjects.ts';
import { addressOfPicture } from '../files/media.ts';
import { Thumbnail } from '../files/Thumbnail.tsx';

type PrivatePictureProps = { project: string; file: FileRecord; className: string };

export function PrivatePicture({ project, file, className }: PrivatePictureProps) {
  const { data: signature, isPending } = useQuery(fileLinkQuery(project, file.id));
  if (isPending) return <span className={`bg-well ${className}`} />;
  if (signature === undefined) return <Thumbnail {...{ project, file, className }} />;
  return (
    <img
      src={`${addressOfPicture(project, file, 320)}&${signature}`}
      alt=""
      loading="lazy"
      decoding="async"
      className={`bg-well object-cover ${className}`}
    />
  );
}

/** Shows or plays a file, or says why this browser cannot. */
import { useState } from 'react';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { type MediaAddresses, useMediaAddresses } from '../media.ts';
import { Picture } from './Picture.tsx';

type FileContentProps = { project: string; file: FileRecord };

export function FileContent({ project, file }: FileContentProps) {
  const [failed, setFailed] = useState(false);
  const addresses = useMediaAddresses(project, file);
  if (file.deletedAt !== undefined)
    return <Notice look="plain">This file is in the trash. Restore it to see it.</Notice>;
  if (addresses === null) return <Spinner />;
  if (failed) return <Unplayable file={file} addresses={addresses} />;
  if (file.type === 'video') return <Video addresses={addresses} onFailed={() => setFailed(true)} />;
  if (file.type === 'image') return <Picture file={file} addresses={addresses} />;
  return (
    <div className="grid gap-4 rounded-lg bg-well px-4 py-10">
      <Waveform address={addresses.waveform(1280)} />
      {/* biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what was uploaded */}
      <audio
        controls
        preload="metadata"
        src={addresses.whole}
        onError={() => setFailed(true)}
        className="w-full"
      />
    </div>
  );
}

/** Shows loudness over time; an icon if the service cannot draw it. */
function Waveform({ address }: { address: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <Icon name="sound" className="size-10! justify-self-center text-muted" />;
  return (
    <img
      src={address}
      alt="Loudness over time"
      onError={() => setFailed(true)}
      className="aspect-5/1 w-full object-fill"
    />
  );
}

type VideoProps = { addresses: MediaAddresses; onFailed: () => void };

function Video({ addresses, onFailed }: VideoProps) {
  // A browser that can play only a video's audio would show a black picture.
  const [hasPicture, setHasPicture] = useState(true);
  return (
    <div className="grid gap-2.5">
      {/* biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what was uploaded */}
      <video
        controls
        preload="metadata"
        src={addresses.whole}
        poster={addresses.poster(1280)}
        onLoadedMetadata={event => setHasPicture(event.currentTarget.videoWidth > 0)}
        onError={onFailed}
        className="max-h-[56dvh] w-full rounded-lg bg-well object-contain"
      />
      {!hasPicture && <Notice look="warning">This browser can only play the sound of this video.</Notice>}
    </div>
  );
}

type UnplayableProps = { file: FileRecord; addresses: MediaAddresses };

function Unplayable({ file, addresses }: UnplayableProps) {
  return (
    <div className="grid justify-items-center gap-3.5 rounded-lg bg-well px-4 py-12 text-center" role="alert">
      <Icon name={file.type === 'video' ? 'film' : 'sound'} className="size-10! text-muted" />
      <p className="text-sm text-balance text-muted">
        This browser can’t play {file.mimeType}. A media player on your computer might.
      </p>
      <a className={styleButton({ size: 'small' })} href={addresses.download} download>
        <Icon name="download" />
        Download the {file.type}
      </a>
    </div>
  );
}

/** What a file holds, seen or heard; or why this browser cannot. */
import { useState } from 'react';
import type { FileRecord } from '../../queries/fileRecords.ts';
import { styleButton } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { addressOfDownload, addressOfMedia, addressOfView } from './media.ts';

type FileContentProps = { project: string; file: FileRecord };

const frame = 'max-h-[56dvh] w-full rounded-lg bg-well object-contain';

export function FileContent(props: FileContentProps) {
  const [failed, setFailed] = useState(false);
  const { project, file } = props;
  const whole = addressOfMedia(project, file);
  if (failed && file.type !== 'image') return <Unplayable {...props} />;
  if (file.type === 'video') return <Video address={whole} onFailed={() => setFailed(true)} />;
  if (file.type === 'audio') {
    return (
      <div className="grid gap-4 rounded-lg bg-well px-4 py-10">
        <Icon name="sound" className="size-10! justify-self-center text-muted" />
        {/* biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what was uploaded */}
        <audio controls preload="metadata" src={whole} onError={() => setFailed(true)} className="w-full" />
      </div>
    );
  }
  return (
    <a href={whole} target="_blank" rel="noreferrer" title="Open in a new tab">
      <img
        src={failed ? whole : addressOfView(project, file)}
        alt={file.filename}
        onError={() => setFailed(true)}
        className={`min-h-40 ${frame}`}
      />
    </a>
  );
}

function Video({ address, onFailed }: { address: string; onFailed: () => void }) {
  // A browser that knows only the sound of a film plays it over black.
  const [hasPicture, setHasPicture] = useState(true);
  return (
    <div className="grid gap-2.5">
      {/* biome-ignore lint/a11y/useMediaCaption: nobody wrote captions for what was uploaded */}
      <video
        controls
        preload="metadata"
        src={address}
        onLoadedMetadata={event => setHasPicture(event.currentTarget.videoWidth > 0)}
        onError={onFailed}
        className={frame}
      />
      {!hasPicture && <Notice look="warning">This browser can only play the sound of this video.</Notice>}
    </div>
  );
}

function Unplayable({ project, file }: FileContentProps) {
  return (
    <div className="grid justify-items-center gap-3.5 rounded-lg bg-well px-4 py-12 text-center" role="alert">
      <Icon name={file.type === 'video' ? 'film' : 'sound'} className="size-10! text-muted" />
      <p className="text-sm text-balance text-muted">
        This browser can’t play {file.mimeType}. A media player on your computer might.
      </p>
      <a className={styleButton({ size: 'small' })} href={addressOfDownload(project, file)} download>
        <Icon name="download" />
        Download the {file.type}
      </a>
    </div>
  );
}

/** Chooses files from this machine. */
import { mediaTypes } from '@tapedeck/client';
import { useRef } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';

export function UploadButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        accept={mediaTypes.map(type => `${type}/*`).join(',')}
        onChange={event => {
          onFiles([...(event.target.files ?? [])]);
          // The same files may be chosen again.
          event.target.value = '';
        }}
      />
      <Button look="primary" onClick={() => input.current?.click()}>
        <Icon name="upload" />
        Upload
      </Button>
    </>
  );
}

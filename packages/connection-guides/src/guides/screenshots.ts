/** Programs that take screenshots and recordings. */
import { inPath, inShell } from '../escapes.ts';
import type { Connection, Guide } from '../guide.ts';
import { uploads } from '../tokens.ts';

const group = 'Screenshots and uploads';
const onlyMedia = {
  sees: '415, unsupported media',
  means: 'Images, videos and sounds are taken; texts and archives are not.',
};

const sharex: Guide = {
  id: 'sharex',
  title: 'ShareX',
  group,
  about: 'Takes a screenshot or a recording, uploads it, and leaves the address in the clipboard.',
  sends: 'media',
  words: ['screenshot', 'windows', 'sxcu', 'uploader', 'gif', 'capture'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'tapedeck.sxcu',
      language: 'json',
      isFile: true,
      write: ({ address, token, folder }) => `${JSON.stringify(
        {
          Version: '17.0.0',
          Name: 'Tapedeck',
          DestinationType: 'ImageUploader, FileUploader',
          RequestMethod: 'POST',
          RequestURL: `${address}/api/v3/file`,
          Headers: { Authorization: `Bearer ${token}` },
          Body: 'MultipartFormData',
          ...(folder !== '' && { Arguments: { path: escapeShareX(folder) } }),
          FileFormName: 'file',
          URL: '{json:data.url}',
          ErrorMessage: '{json:error}',
        },
        null,
        2,
      )}
`,
    },
  ],
  test: {
    name: 'In ShareX',
    language: 'text',
    write: () =>
      'Open the file with a double click and agree to make it the active uploader. Then press Ctrl + Print Screen.',
  },
  notes: [
    onlyMedia,
    {
      sees: 'A screenshot is uploaded elsewhere',
      means:
        'Under Destinations, choose “Custom image uploader” and “Custom file uploader”; recordings go to the latter.',
    },
  ],
};

/** The program gives a meaning to these in texts that it sends. */
function escapeShareX(text: string): string {
  return text.replaceAll(/[\\{}|]/g, sign => `\\${sign}`);
}

const flameshot: Guide = {
  id: 'flameshot',
  title: 'Flameshot',
  group,
  about: 'Uploads what is cut out of the screen on Linux, and leaves the address in the clipboard.',
  sends: 'media',
  words: ['linux', 'screenshot', 'x11', 'wayland', 'xclip', 'one-liner'],
  door: 'upload',
  token: uploads,
  install: 'sudo apt install flameshot xclip curl',
  snippets: [
    {
      name: 'Command for a key of the desktop',
      language: 'sh',
      write: connection => `flameshot gui --raw | ${uploadOf(connection)} | xclip -selection clipboard`,
    },
  ],
  test: {
    name: 'The whole screen',
    language: 'sh',
    write: connection => `flameshot full --raw | ${uploadOf(connection)}`,
  },
  notes: [
    { sees: 'curl: (22) … 400', means: 'The selection was given up, so that nothing was sent.' },
    { sees: 'Nothing in the clipboard under Wayland', means: 'Put wl-copy in the place of xclip.' },
  ],
};

/** From its input; prints the address. */
function uploadOf({ address, token, folder }: Connection): string {
  const place = folder === '' ? '' : ` -F ${inShell(`path=${folder}`)}`;
  return `curl -fsS '${address}/api/v3/file' -H 'Authorization: Bearer ${token}' -F 'file=@-;filename=screenshot.png'${place} | sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p'`;
}

const grim: Guide = {
  id: 'grim-maim',
  title: 'grim, maim, spectacle, screencapture',
  group,
  about: 'Any program that writes a screenshot to its output, on Wayland, X11 and macOS.',
  sends: 'media',
  words: ['linux', 'macos', 'wayland', 'sway', 'hyprland', 'slurp', 'scrot', 'gnome', 'kde', 'pbcopy'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'grim, under Wayland',
      language: 'sh',
      write: connection => `grim -g "$(slurp)" - | ${uploadOf(connection)} | wl-copy`,
    },
    {
      name: 'maim, under X11',
      language: 'sh',
      write: connection => `maim -s | ${uploadOf(connection)} | xclip -selection clipboard`,
    },
    {
      name: 'screencapture, on macOS',
      language: 'sh',
      write: connection =>
        `screencapture -i /tmp/screenshot.png && ${uploadOf(connection).replace('file=@-', 'file=@/tmp/screenshot.png')} | pbcopy`,
    },
  ],
  test: {
    name: 'A file that is there',
    language: 'sh',
    write: connection => uploadOf(connection).replace('file=@-', 'file=@screenshot.png'),
  },
  notes: [onlyMedia],
};

const obs: Guide = {
  id: 'obs',
  title: 'OBS recordings and raw PUT',
  group,
  about:
    'Uploads each recording as soon as its file is complete; anything that can PUT a file works the same.',
  sends: 'media',
  words: [
    'video',
    'recording',
    'replay',
    'stream',
    'medal',
    'nvidia',
    'shadowplay',
    'put',
    'bare',
    'raw',
    'webdav',
  ],
  door: 'upload',
  token: uploads,
  install: 'sudo apt install inotify-tools curl',
  snippets: [
    {
      name: 'upload-recordings.sh',
      language: 'sh',
      isFile: true,
      write: ({ address, token, folder }) => `#!/bin/sh
# OBS writes its recordings into this folder (Settings, Output, Recording Path)
folder="\${1:-$HOME/Videos}"
inotifywait -m -q -e close_write -e moved_to --format '%w%f' "$folder" | while read -r file; do
  case "$file" in
    *.mkv | *.mp4 | *.mov | *.webm) ;;
    *) continue ;;
  esac
  curl -fsS -T "$file" '${address}/api/v3/file/${inPath(folder)}' -H 'Authorization: Bearer ${token}' && echo
done
`,
    },
    {
      name: 'Settings of anything that sends a file as it is',
      language: 'text',
      write: ({ address, token, folder }) => `Method:  PUT (or POST)
URL:     ${address}/api/v3/file/${inPath(folder)}recording.mkv
Header:  Authorization: Bearer ${token}
Body:    the bytes of the file; Content-Type may be anything`,
    },
  ],
  test: {
    name: 'A file that is there',
    language: 'sh',
    write: ({ address, token, folder }) =>
      `curl -fsS -T recording.mkv '${address}/api/v3/file/${inPath(folder)}' -H 'Authorization: Bearer ${token}'`,
  },
  notes: [
    {
      sees: '413',
      means:
        'Recordings are long: set TAPEDECK_FILE_SIZE_MAX (such as 4GiB), and client_max_body_size of a proxy before the service.',
    },
    {
      sees: 'The upload begins anew when the line breaks',
      means: 'Use tus-js-client or Uppy, which go on where they were.',
    },
  ],
};

export const screenshotGuides: readonly Guide[] = [sharex, flameshot, grim, obs];

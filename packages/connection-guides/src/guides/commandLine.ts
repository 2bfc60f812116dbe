/** Programs of a shell. */
import { inPath, inShell } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { uploads, writesLogs } from '../tokens.ts';

const group = 'Command line';

const curlLogs: Guide = {
  id: 'curl-logs',
  title: 'curl: log entries',
  group,
  about: 'Writes log entries from any script, one or up to 10,000 at once.',
  sends: 'logs',
  words: ['bash', 'shell', 'script', 'cron', 'http', 'rest', 'api', 'wget'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'Entries with a level',
      language: 'sh',
      write: ({ address, token, dataset }) => `curl -fsS '${address}/api/v3/logs?dataset=${dataset}' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"level":"info","message":"Hello, tape","resource":"backup","metadata":{"host":"web-1"}}]'`,
    },
    {
      name: 'log.sh',
      language: 'sh',
      isFile: true,
      write: ({ address, token, dataset }) => `#!/bin/sh
# log LEVEL TEXT: level is debug, info, warn or error; the text may hold anything
log() {
  curl -fsS '${address}/api/v3/logs/chat?dataset=${dataset}&level='"$1" \\
    -H 'Authorization: Bearer ${token}' \\
    --data-urlencode "content=$2" --data-urlencode "username=$(basename "$0")"
}

log warn "the disk is \\"nearly\\" full"
`,
    },
    {
      name: 'What a program prints, once it has ended',
      language: 'sh',
      write: ({
        address,
        token,
        dataset,
      }) => `ls -l / 2>&1 | curl -fsS '${address}/api/v3/logs/lines?dataset=${dataset}' \\
  -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/plain' --data-binary @-`,
    },
  ],
  test: {
    name: 'One line',
    language: 'sh',
    write: ({ address, token, dataset }) =>
      `echo 'Hello, tape' | curl -fsS '${address}/api/v3/logs/lines?dataset=${dataset}' -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/plain' --data-binary @-`,
  },
  notes: [
    {
      sees: '400 that names an index',
      means:
        'The entry at that place of the list, counted from zero, is wrong; nothing of the list was stored.',
    },
    { sees: '413', means: 'A request takes 10,000 entries or 10 MiB: send several.' },
    { sees: '403', means: 'The token is kept to one dataset; the address names another.' },
  ],
};

const curlFiles: Guide = {
  id: 'curl-files',
  title: 'curl: files',
  group,
  about: 'Uploads an image, a video or a sound and answers its address.',
  sends: 'media',
  words: ['upload', 'bash', 'shell', 'script', 'multipart', 'raw', 'put', 'wget'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'As a form',
      language: 'sh',
      write: ({ address, token, folder }) => `curl -fsS '${address}/api/v3/file' \\
  -H 'Authorization: Bearer ${token}' \\
  -F 'file=@photo.png'${folder === '' ? '' : ` \\\n  -F ${inShell(`path=${folder}`)}`}`,
    },
    {
      name: 'Its bytes alone',
      language: 'sh',
      write: ({ address, token, folder }) =>
        `curl -fsS -T photo.png '${address}/api/v3/file/${inPath(folder)}' \\
  -H 'Authorization: Bearer ${token}'`,
    },
    {
      name: 'Only its address, for the next command',
      language: 'sh',
      write: ({ address, token, folder }) =>
        `curl -fsS -T photo.png '${address}/api/v3/file/${inPath(folder)}' \\
  -H 'Authorization: Bearer ${token}' | sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p'`,
    },
  ],
  test: {
    name: 'A picture of one pixel',
    language: 'sh',
    write: ({ address, token, folder }) =>
      `printf %s 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==' | base64 -d | curl -fsS -T - '${address}/api/v3/file/${inPath(folder)}pixel.png' -H 'Authorization: Bearer ${token}'`,
  },
  notes: [
    {
      sees: '415',
      means:
        'What the bytes are decides, not the name: images, videos and sounds are taken, texts and archives are not.',
    },
    {
      sees: '413',
      means: 'The file is larger than TAPEDECK_FILE_SIZE_MAX, which is 32 MiB where nothing is set.',
    },
    { sees: '403', means: 'The token is kept to a folder; the address names another.' },
  ],
};

const powershell: Guide = {
  id: 'powershell',
  title: 'PowerShell: log entries',
  group,
  about: 'Writes log entries from scripts on Windows, Linux and macOS.',
  sends: 'logs',
  words: ['windows', 'pwsh', 'script', 'task scheduler'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'Write-Tape.ps1',
      language: 'powershell',
      isFile: true,
      write: ({
        address,
        token,
        dataset,
      }) => `function Write-Tape([string]$Level, [string]$Message, [hashtable]$Metadata = @{}) {
  $entry = @{ level = $Level; message = $Message; resource = $env:COMPUTERNAME; metadata = $Metadata }
  $body = ConvertTo-Json -Depth 10 -InputObject @($entry)
  Invoke-RestMethod '${address}/api/v3/logs?dataset=${dataset}' -Method Post \`
    -Headers @{ Authorization = 'Bearer ${token}' } \`
    -ContentType 'application/json' -Body ([Text.Encoding]::UTF8.GetBytes($body))
}
`,
    },
  ],
  test: {
    name: 'In the folder of the file',
    language: 'powershell',
    write: () => `. ./Write-Tape.ps1; Write-Tape info 'Hello, tape' @{ user = $env:USERNAME }`,
  },
  notes: [
    {
      sees: 'The underlying connection was closed',
      means: 'Windows PowerShell 5 may need [Net.ServicePointManager]::SecurityProtocol = "Tls12" first.',
    },
  ],
};

const powershellFiles: Guide = {
  id: 'powershell-files',
  title: 'PowerShell: files',
  group,
  about: 'Uploads an image, a video or a sound from PowerShell.',
  sends: 'media',
  words: ['windows', 'pwsh', 'upload'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'Upload, and show the address',
      language: 'powershell',
      write: ({
        address,
        token,
        folder,
      }) => `(Invoke-RestMethod '${address}/api/v3/file/${inPath(folder)}photo.png' -Method Put \`
  -Headers @{ Authorization = 'Bearer ${token}' } \`
  -ContentType 'application/octet-stream' -InFile photo.png).data.url`,
    },
  ],
  test: {
    name: 'A picture of one pixel',
    language: 'powershell',
    write: ({ address, token, folder }) =>
      `$pixel = [Convert]::FromBase64String('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='); Invoke-RestMethod '${address}/api/v3/file/${inPath(folder)}pixel.png' -Method Put -Headers @{ Authorization = 'Bearer ${token}' } -ContentType 'image/png' -Body $pixel`,
  },
  notes: [{ sees: '415', means: 'What the bytes are decides: images, videos and sounds are taken.' }],
};

export const commandLineGuides: readonly Guide[] = [curlLogs, curlFiles, powershell, powershellFiles];

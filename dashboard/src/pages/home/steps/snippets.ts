/** Snippets that send a first file and a first log with each tool, and the tool this user picked last. */
import type { TokenKind } from '@tapedeck/client';
import { apiUrl } from '../../../api.ts';
import { readStored, store } from '../../../browserStorage.ts';

export const snippetTools = [
  { value: 'curl', label: 'curl' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'fivem', label: 'FiveM (Lua)' },
  { value: 'roblox', label: 'Roblox (Luau)' },
  { value: 'node', label: 'Node.js' },
  { value: 'webhook', label: 'Discord webhook' },
] as const;
export type SnippetTool = (typeof snippetTools)[number]['value'];
export type StepKind = Extract<TokenKind, 'media' | 'logs'>;

type Snippet = (token: string) => string;
type Snippets = { curl: Snippet } & Partial<Record<SnippetTool, Snippet>>;

const snippets: Readonly<Record<StepKind, Snippets>> = {
  media: {
    curl: token => `curl ${apiUrl}/v3/file \\
  -H "Authorization: ${token}" \\
  -F "file=@photo.jpg"`,
    powershell: token => `curl.exe ${apiUrl}/v3/file \`
  -H "Authorization: ${token}" \`
  -F "file=@photo.jpg"`,
    fivem: token => `-- server: asks for a URL that takes one picture; \`player\` is the player's id
PerformHttpRequest('${apiUrl}/v3/file/presigned-url', function(status, body)
  if status == 200 then TriggerClientEvent('takeScreenshot', player, json.decode(body).data.presignedUrl) end
end, 'GET', '', { ['Authorization'] = '${token}' })

-- client, with screenshot-basic; players can read it, so it holds no token
RegisterNetEvent('takeScreenshot', function(url)
  exports['screenshot-basic']:requestScreenshotUpload(url, 'file', function(body)
    print(json.decode(body).data.url)
  end)
end)`,
    node: token => `import { openAsBlob } from 'node:fs';

const body = new FormData();
body.set('file', await openAsBlob('photo.jpg'), 'photo.jpg');
const headers = { Authorization: '${token}' };
const answer = await fetch('${apiUrl}/v3/file', { method: 'POST', headers, body });
console.log(await answer.json());`,
  },
  logs: {
    curl: token => `curl ${apiUrl}/v3/logs \\
  -H "Authorization: ${token}" \\
  -H "Content-Type: application/json" \\
  -d '[{"level":"info","message":"Hello, tape"}]'`,
    // Avoids curl.exe, because older PowerShells drop the quotes of JSON in arguments.
    powershell: token => `Invoke-RestMethod ${apiUrl}/v3/logs -Method Post \`
  -Headers @{ Authorization = '${token}' } \`
  -ContentType 'application/json' \`
  -Body '[{"level":"info","message":"Hello, tape"}]'`,
    fivem: token => `-- in a server script
PerformHttpRequest('${apiUrl}/v3/logs', function(status, body)
  if status ~= 200 then print('log entry refused: ' .. tostring(status) .. ' ' .. tostring(body)) end
end, 'POST', json.encode({
  { level = 'info', message = 'Hello, tape', resource = GetCurrentResourceName() },
}), { ['Authorization'] = '${token}', ['Content-Type'] = 'application/json' })`,
    roblox: token => `-- in a server script, with HTTP requests allowed in the game's settings
local HttpService = game:GetService("HttpService")
HttpService:RequestAsync({
  Url = "${apiUrl}/v3/logs",
  Method = "POST",
  Headers = { ["Authorization"] = "${token}", ["Content-Type"] = "application/json" },
  Body = HttpService:JSONEncode({ { level = "info", message = "Hello, tape" } }),
})`,
    node: token => `const headers = { Authorization: '${token}', 'Content-Type': 'application/json' };
const body = JSON.stringify([{ level: 'info', message: 'Hello, tape' }]);
const answer = await fetch('${apiUrl}/v3/logs', { method: 'POST', headers, body });
console.log(answer.status);`,
    webhook: token => `${apiUrl}/webhooks/1/${token}`,
  },
};

/** Falls back to curl if the tool has no snippet. */
export function writeSnippet(kind: StepKind, tool: SnippetTool, token: string): string {
  return (snippets[kind][tool] ?? snippets[kind].curl)(token);
}

const storageKey = 'tapedeck.firstSteps';

export const rememberTool = (tool: SnippetTool): void => store(storageKey, tool);

export function recallTool(): SnippetTool {
  const recalled = readStored(storageKey);
  return snippetTools.find(({ value }) => value === recalled)?.value ?? 'curl';
}

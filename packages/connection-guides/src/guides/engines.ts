/** Engines that games are made with, and games that are one. */
import { inPath } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { uploads, writesLogs } from '../tokens.ts';

const group = 'Games';
const reach = {
  sees: 'Nothing arrives',
  means: 'Try the address with curl from the machine of the game: it must be one that works from there.',
};

const garrysMod: Guide = {
  id: 'garrys-mod',
  title: "Garry's Mod",
  group,
  about: 'Log entries from server scripts, by HTTP().',
  sends: 'logs',
  words: ['gmod', 'lua', 'glua', 'darkrp', 'ttt', 'source'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'lua/autorun/server/tape.lua',
      language: 'lua',
      write: ({ address, token, dataset }) => `function TapeLog(level, message, metadata)
  HTTP({
    url = '${address}/api/v3/logs?dataset=${dataset}',
    method = 'POST',
    type = 'application/json',
    headers = { Authorization = 'Bearer ${token}' },
    body = util.TableToJSON({ { level = level, message = message, metadata = metadata, resource = engine.ActiveGamemode() } }),
    success = function(status, body)
      if status ~= 200 then print('not logged: ' .. status .. ' ' .. body) end
    end,
    failed = function(reason) print('not logged: ' .. reason) end,
  })
end

hook.Add('PlayerInitialSpawn', 'TapeLog', function(player)
  TapeLog('info', player:Nick() .. ' joins', { player = { id = player:SteamID64(), name = player:Nick() } })
end)`,
    },
  ],
  test: {
    name: 'In the console of the server',
    language: 'text',
    write: () => `lua_run TapeLog('warn', 'Hello, tape')`,
  },
  notes: [
    {
      sees: 'not logged: invalid url',
      means:
        'The game refuses addresses of local networks unless the server is started with -allowlocalhttp.',
    },
  ],
};

const unity: Guide = {
  id: 'unity',
  title: 'Unity',
  group,
  about: 'Warnings, errors and exceptions of a game as entries.',
  sends: 'logs',
  words: ['csharp', 'c#', 'game engine', 'crash'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'TapeLogs.cs, on an object of the first scene',
      language: 'csharp',
      write: ({ address, token, dataset }) => `using System.Collections;
using System.Text;
using UnityEngine;
using UnityEngine.Networking;

public class TapeLogs : MonoBehaviour
{
    private void OnEnable() => Application.logMessageReceived += Take;
    private void OnDisable() => Application.logMessageReceived -= Take;

    private void Take(string message, string stack, LogType type)
    {
        if (type == LogType.Log) return;
        StartCoroutine(Send(type == LogType.Warning ? "warn" : "error", message + "\\n" + stack));
    }

    private IEnumerator Send(string level, string message)
    {
        var body = "[" + JsonUtility.ToJson(new Entry { level = level, message = message, resource = Application.productName }) + "]";
        using var request = new UnityWebRequest("${address}/api/v3/logs?dataset=${dataset}", "POST");
        request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body));
        request.downloadHandler = new DownloadHandlerBuffer();
        request.SetRequestHeader("Authorization", "Bearer ${token}");
        request.SetRequestHeader("Content-Type", "application/json");
        yield return request.SendWebRequest();
    }

    [System.Serializable]
    private class Entry { public string level; public string message; public string resource; }
}
`,
    },
  ],
  test: { name: 'In a script', language: 'csharp', write: () => 'Debug.LogWarning("Hello, tape");' },
  notes: [
    {
      sees: 'Players can read the token in the game',
      means:
        'With it they can write into this one dataset, and read nothing: give each game a dataset of its own.',
    },
  ],
};

const unreal: Guide = {
  id: 'unreal',
  title: 'Unreal Engine',
  group,
  about: 'Entries by its module HTTP, from C++.',
  sends: 'logs',
  words: ['ue5', 'ue4', 'c++', 'cpp', 'game engine', 'ark', 'conan'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'TapeLog.cpp, with "HTTP" and "Json" in the modules',
      language: 'cpp',
      write: ({ address, token, dataset }) => `#include "HttpModule.h"
#include "Interfaces/IHttpRequest.h"
#include "Serialization/JsonSerializer.h"

void TapeLog(const FString& Level, const FString& Message)
{
	TSharedRef<FJsonObject> Entry = MakeShared<FJsonObject>();
	Entry->SetStringField(TEXT("level"), Level);
	Entry->SetStringField(TEXT("message"), Message);
	FString Body;
	TSharedRef<TJsonWriter<>> Writer = TJsonWriterFactory<>::Create(&Body);
	FJsonSerializer::Serialize({ MakeShared<FJsonValueObject>(Entry) }, Writer);

	auto Request = FHttpModule::Get().CreateRequest();
	Request->SetURL(TEXT("${address}/api/v3/logs?dataset=${dataset}"));
	Request->SetVerb(TEXT("POST"));
	Request->SetHeader(TEXT("Authorization"), TEXT("Bearer ${token}"));
	Request->SetHeader(TEXT("Content-Type"), TEXT("application/json"));
	Request->SetContentAsString(Body);
	Request->ProcessRequest();
}`,
    },
  ],
  test: { name: 'Anywhere', language: 'cpp', write: () => 'TapeLog(TEXT("warn"), TEXT("Hello, tape"));' },
  notes: [reach],
};

const godot: Guide = {
  id: 'godot',
  title: 'Godot: screenshots',
  group,
  about: 'What a player sees, as a picture with an address, for reports of faults.',
  sends: 'media',
  words: ['gdscript', 'game engine', 'screenshot', 'bug report'],
  door: 'upload',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'tape.gd',
      language: 'text',
      write: ({ address, token, folder }) => `extends Node

func send_screenshot() -> void:
	var picture := get_viewport().get_texture().get_image().save_png_to_buffer()
	var request := HTTPRequest.new()
	add_child(request)
	request.request_completed.connect(func(_result, status, _headers, body):
		print(status, " ", body.get_string_from_utf8())
		request.queue_free())
	request.request_raw("${address}/api/v3/file/${inPath(folder)}screenshot.png",
		["Authorization: Bearer ${token}", "Content-Type: image/png"], HTTPClient.METHOD_PUT, picture)`,
    },
  ],
  test: {
    name: 'In the game',
    language: 'text',
    write: () => 'Call send_screenshot() from a button, and press it.',
  },
  notes: [reach],
};

export const engineGuides: readonly Guide[] = [garrysMod, unity, unreal, godot];

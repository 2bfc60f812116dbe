"""Reads logs and a picture through the official client of the Model Context Protocol for Python."""
import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

url, logs_token, media_token, file_id, mode = sys.argv[1:6]


def connect(token):
    http_client = create_mcp_http_client(headers={'Authorization': f'Bearer {token}'})
    return Client(streamable_http_client(url, http_client=http_client), mode=mode)


async def main():
    results = {}
    async with connect(logs_token) as client:
        results['server'] = client.server_info.name
        results['version'] = client.protocol_version
        results['instructions'] = client.instructions
        tools = (await client.list_tools()).tools
        results['tools'] = [tool.name for tool in tools]
        results['readOnly'] = all(tool.annotations.read_only_hint for tool in tools)
        found = await client.call_tool('search_logs', {'query': 'level:error'})
        results['found'] = found.content[0].text
        counted = await client.call_tool('count_logs', {'query': '*'})
        results['counted'] = counted.content[0].text
        wrong = await client.call_tool('search_logs', {'query': '(door'})
        results['wrong'] = [wrong.is_error, wrong.content[0].text]
    async with connect(media_token) as client:
        picture = await client.call_tool('get_file', {'id': file_id})
        results['picture'] = [part.type for part in picture.content]
        results['pictureType'] = picture.content[1].mime_type
    try:
        async with connect('wrong') as client:
            await client.list_tools()
    except BaseException as error:  # also catches groups of errors
        results['refused'] = repr(error)
    print(json.dumps(results))


asyncio.run(main())

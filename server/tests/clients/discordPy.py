"""Sends with discord.py and discord-webhook for a test, and prints their results as one line of JSON."""
import asyncio
import io
import json
import sys

import aiohttp
import discord
from discord import webhook as webhooks
from discord_webhook import DiscordWebhook

address, token = sys.argv[1], sys.argv[2]
picture = bytes.fromhex(sys.argv[3])
discord.http.Route.BASE = f'{address}/api/v10'


async def send():
    async with aiohttp.ClientSession() as session:
        webhook = webhooks.Webhook.partial(123456789012345678, token, session=session)
        embed = discord.Embed(title='Kick', description='speed hack', color=0xFF0000)
        message = await webhook.send('report', embed=embed, file=discord.File(io.BytesIO(picture), 'shot.png'), wait=True)
        try:
            await message.edit(content='other')
            refusal = ''
        except discord.NotFound as error:
            refusal = error.text
        [attachment] = message.attachments
        return {'content': message.content, 'url': attachment.url, 'id': str(attachment.id), 'refusal': refusal}


of_library = asyncio.run(send())
simple = DiscordWebhook(url=f'{address}/api/webhooks/1/{token}', content='simple')
simple.add_file(file=picture, filename='shot.png')
simple.add_file(file=picture, filename='other.png')
answer = simple.execute()
print(json.dumps({**of_library, 'simple': answer.json()['attachments'][1]['url'], 'status': answer.status_code}))

"""Sends through handlers of Python's `logging`, over GELF or syslog."""
import logging
import logging.handlers
import socket
import sys

import graypy
import pygelf

sender, host, port, token = sys.argv[1:5]
path = f'/gelf?apiKey={token}'
makers = {
    'graypy': lambda: graypy.GELFHTTPHandler(host, port=int(port), path=path),
    'plain': lambda: graypy.GELFHTTPHandler(host, port=int(port), path=path, compress=False),
    'pygelf': lambda: pygelf.GelfHttpHandler(
        host=host, port=int(port), path=path, include_extra_fields=True
    ),
    'syslog-udp': lambda: logging.handlers.SysLogHandler((host, int(port)), 'local3', socket.SOCK_DGRAM),
    'syslog-tcp': lambda: logging.handlers.SysLogHandler((host, int(port)), 'local3', socket.SOCK_STREAM),
}
handler = makers[sender]()
if sender.startswith('syslog'):
    handler.setFormatter(logging.Formatter('my-app[7]: %(message)s'))
logger = logging.getLogger('my-app')
logger.setLevel(logging.DEBUG)
logger.addHandler(handler)
for level in ('debug', 'info', 'warning', 'error'):
    getattr(logger, level)('%s by %s ü 東京', level, sender, extra={'player': 'Ådå'})
try:
    1 / 0
except ZeroDivisionError:
    logger.exception('broken by %s', sender)
handler.close()

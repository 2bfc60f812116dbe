"""Sends something of each kind through Sentry's SDK for Python."""
import sys

import sentry_sdk
from sentry_sdk import logger

dsn, picture_path, encoding = sys.argv[1:4]
messages = int(sys.argv[4]) if len(sys.argv) > 4 else None
sentry_sdk.init(
    dsn=dsn,
    release='game@1.2.3',
    environment='test',
    traces_sample_rate=1,
    profiles_sample_rate=1,
    enable_logs=True,
    auto_enabling_integrations=False,  # integrations of web frameworks take seconds to load
    debug=True,
    _experiments={'transport_compression_algo': encoding},
)


def fail():
    try:
        raise TypeError('inner failed')
    except TypeError as cause:
        raise RuntimeError('outer failed') from cause


def send_all():
    sentry_sdk.set_user({'id': '7', 'username': 'Ådå'})
    sentry_sdk.set_tag('map', 'dust')
    sentry_sdk.get_current_scope().set_extra('score', {'kills': 3})
    for number in range(25):
        sentry_sdk.add_breadcrumb(message=f'crumb {number}')
    sentry_sdk.capture_message('hello ü 東京', level='warning')
    with sentry_sdk.start_transaction(name='round', op='task'):
        pass
    logger.info('structured', attributes={'round': 9})
    scope = sentry_sdk.get_current_scope()
    with open(picture_path, 'rb') as picture:
        scope.add_attachment(bytes=picture.read(), filename='shot.png', content_type='image/png')
    scope.add_attachment(bytes=b'notes', filename='notes.txt', content_type='text/plain')
    try:
        fail()
    except RuntimeError as error:
        sentry_sdk.capture_exception(error)


if messages is None:
    send_all()
else:
    for number in range(messages):
        sentry_sdk.capture_message(f'message {number}', level='info')
        sentry_sdk.flush(20)
sentry_sdk.flush(20)

"""Sends one batch, and decides whether a repeat could succeed."""

import json
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

_REFUSALS = (400, 401, 403, 413, 415, 422)


class Refused(Exception):
    """The service will never accept this batch. `index` is the invalid record, if the service names one."""

    def __init__(self, status, sentence, index):
        super().__init__(sentence)
        self.status = status
        self.index = index


class Unreachable(Exception):
    """A repeat may succeed, after `retry_after` seconds if the service says so."""

    def __init__(self, retry_after=None):
        super().__init__("The service cannot be reached.")
        self.retry_after = retry_after


def post_batch(address, batch, timeout):
    url, token, dataset = address
    request = urllib.request.Request(
        f"{url}/api/v3/logs?dataset={urllib.parse.quote(dataset)}",
        data=batch.body,
        method="POST",
        headers={"Authorization": token, "Content-Type": "application/json", "Idempotency-Key": batch.key},
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            response.read()
    except urllib.error.HTTPError as error:
        if error.code in _REFUSALS:
            raise _read_refusal(error) from None
        raise Unreachable(_read_retry_after(error.headers.get("Retry-After"))) from error
    except (OSError, ValueError) as error:
        raise Unreachable() from error
    except Exception as error:  # an invalid response
        raise Unreachable() from error


def _read_refusal(error):
    try:
        body = json.loads(error.read())
        index = body.get("index")
        return Refused(error.code, body.get("error", str(error)), index if isinstance(index, int) else None)
    except (ValueError, AttributeError, OSError):
        return Refused(error.code, str(error), None)


def _read_retry_after(text):
    """Reads seconds or a date, as in HTTP."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())

-- Sends entries in batches, one request at a time, in the order in which they were written. Repeats a batch with the same key
-- and the same bytes until the service answers. Drops entries that do not fit, and reports their number to the service once.
local batchEntriesMax = 1000
local batchBytesMax = 1024 * 1024
local queueBytesMax = 16 * 1024 * 1024
local batchDelayMs = 1000
local pauseMsMin, pauseMsMax = 500, 30000
local flushMsMax = 60000

local queue = { first = 1, last = 0, bytes = 0 }
local stored, dropped, reported = 0, 0, 0
local confirmed = 0 -- the number of the last entry that was stored or dropped, in order
local lost = 0 -- number of entries dropped after they were queued
local batch = nil -- in progress, or waiting to be repeated
local notice = nil
local failures = 0
local resumeAt = 0 -- after a failure, nothing is sent before this time
local isSending, isScheduled, isRefused = false, false, false
local waiting = {} -- flushes

local step

local function isIdle()
  return queue.first > queue.last and not batch and (dropped == reported or isRefused)
end

local function finishFlushes()
  for index = #waiting, 1, -1 do
    local each = waiting[index]
    if isRefused or (confirmed >= each.upTo and dropped == reported) then
      table.remove(waiting, index)
      each.finish(confirmed >= each.upTo and lost == each.lost)
    end
  end
end

local function schedule(ms)
  if isScheduled or isSending or isRefused then return end
  isScheduled = true
  Tapedeck.after(ms, function()
    isScheduled = false
    step()
  end)
end

local function drop(count)
  dropped = dropped + count
end

local function writeNotice()
  local count = dropped - reported
  local text = Tapedeck.writeEntry({
    level = 'warn',
    message = ('%d log %s dropped before %s could be sent.'):format(
      count, count == 1 and 'entry was' or 'entries were', count == 1 and 'it' or 'they'),
    metadata = { tapedeck = { dropped = count } },
    resource = Tapedeck.resource,
    timestamp = Tapedeck.now(),
  })
  return { upTo = dropped, key = Tapedeck.makeKey(), dataset = Tapedeck.settings.dataset, texts = { text } }
end

local function makeBatch()
  local made = { key = Tapedeck.makeKey(), texts = {} }
  local bytes = 0
  while queue.first <= queue.last and #made.texts < batchEntriesMax do
    local entry = queue[queue.first]
    if made.dataset and made.dataset ~= entry.dataset then break end
    if #made.texts > 0 and bytes + #entry.text > batchBytesMax then break end
    made.dataset = entry.dataset
    made.texts[#made.texts + 1] = entry.text
    bytes = bytes + #entry.text + 1
    queue[queue.first] = nil
    queue.first = queue.first + 1
  end
  made.bytes = bytes
  return made
end

local function confirmBatch(isStored)
  local count = #batch.texts
  queue.bytes = queue.bytes - batch.bytes
  confirmed = confirmed + count
  if isStored then stored = stored + count end
  batch = batch.rest
end

-- Drops only the entry that the service refuses. If the response does not name it, splits the batch in halves to find it.
local function dropRefused(body)
  local index = tonumber(Tapedeck.readJson(body).index)
  local texts = batch.texts
  if not index and #texts > 1 then
    local half = #texts // 2
    local first = { key = Tapedeck.makeKey(), dataset = batch.dataset, bytes = 0, texts = table.move(texts, 1, half, 1, {}) }
    local second = { key = Tapedeck.makeKey(), dataset = batch.dataset, bytes = 0, rest = batch.rest }
    second.texts = table.move(texts, half + 1, #texts, 1, {})
    for _, part in ipairs({ first, second }) do
      for _, text in ipairs(part.texts) do part.bytes = part.bytes + #text + 1 end
    end
    first.rest = second
    batch = first
    return
  end
  local wrong = table.remove(texts, math.min((index or 0) + 1, #texts))
  batch.bytes = batch.bytes - #wrong - 1
  queue.bytes = queue.bytes - #wrong - 1
  batch.key = Tapedeck.makeKey()
  confirmed = confirmed + 1
  lost = lost + 1
  drop(1)
  print(('[tapedeck] an entry was refused: %s'):format(tostring(Tapedeck.readJson(body).error or body)))
  if #texts == 0 then batch = batch.rest end
end

local function refuse(status, body)
  isRefused = true
  print(('[tapedeck] the token is refused (%d): %s Log entries are dropped.'):format(status, tostring(Tapedeck.readJson(body).error or '')))
  local count = queue.last - queue.first + 1
  local part = batch
  while part do
    count = count + #part.texts
    part = part.rest
  end
  drop(count)
  lost = lost + count
  confirmed = confirmed + count
  queue = { first = queue.last + 1, last = queue.last, bytes = 0 }
  batch, notice = nil, nil
  finishFlushes()
end

local function pauseAfter(headers)
  local ms = Tapedeck.readRetryAfter(headers) or math.min(pauseMsMin * 2 ^ failures, pauseMsMax)
  failures = failures + 1
  return math.floor(ms)
end

local function onResponse(status, body, headers)
  isSending = false
  if status == 401 or status == 403 then return refuse(status, body) end
  local isStored = status >= 200 and status < 300
  local isOfEntries = status == 400 or status == 413 or status == 415 or status == 422
  if not isStored and not isOfEntries then
    local ms = pauseAfter(headers)
    resumeAt = Tapedeck.now() + ms
    return schedule(ms)
  end
  failures = 0
  if notice then
    reported, notice = notice.upTo, nil -- even if the service refuses it, because a repeat would change nothing
  elseif isStored then
    confirmBatch(true)
  else
    dropRefused(body)
  end
  finishFlushes()
  if not isIdle() then step() end
end

function step()
  if isSending or isRefused then return end
  local restMs = resumeAt - Tapedeck.now()
  if restMs > 0 then return schedule(restMs) end
  if not notice and not batch and dropped > reported then notice = writeNotice() end
  if not notice and not batch and queue.first <= queue.last then batch = makeBatch() end
  local sent = notice or batch
  if not sent then return finishFlushes() end
  isSending = true
  Tapedeck.send({
    method = 'POST',
    path = '/api/v3/logs?dataset=' .. Tapedeck.escape(sent.dataset),
    token = Tapedeck.settings.token,
    key = sent.key,
    body = '[' .. table.concat(sent.texts, ',') .. ']',
  }, onResponse)
end

-- Returns false if the entry was dropped.
function Tapedeck.log(level, message, metadata, options)
  options = type(options) == 'table' and options or {}
  local text = Tapedeck.writeEntry({
    level = level,
    message = message,
    metadata = metadata,
    resource = tostring(options.resource or Tapedeck.resource),
    timestamp = Tapedeck.now(),
  })
  local queued = confirmed and (queue.last - confirmed)
  local isFull = queued >= Tapedeck.settings.queueEntriesMax or (text and queue.bytes + #text > queueBytesMax)
  if not text or isFull or isRefused then
    drop(1)
    schedule(batchDelayMs)
    return false
  end
  queue.last = queue.last + 1
  queue[queue.last] = { text = text, dataset = tostring(options.dataset or Tapedeck.settings.dataset) }
  queue.bytes = queue.bytes + #text + 1
  if queue.last - queue.first + 1 >= batchEntriesMax and not isSending and failures == 0 then step() else schedule(batchDelayMs) end
  return true
end

-- `done(all)`: true if everything written before is stored.
function Tapedeck.flush(done)
  local flushing = { upTo = queue.last, lost = lost, isDone = false }
  flushing.finish = function(all)
    if flushing.isDone then return end
    flushing.isDone = true
    if done then done(all) end
  end
  if isRefused then return flushing.finish(flushing.upTo <= confirmed and lost == 0) end
  waiting[#waiting + 1] = flushing
  Tapedeck.after(flushMsMax, function()
    for index, each in ipairs(waiting) do
      if each == flushing then table.remove(waiting, index) break end
    end
    flushing.finish(false)
  end)
  step()
end

function Tapedeck.stats()
  return { queued = queue.last - confirmed, queuedBytes = queue.bytes, stored = stored, dropped = dropped }
end

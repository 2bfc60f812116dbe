-- Converts log calls to JSON immediately, so that later changes to a table do not change the entry.
local messageBytesMax = 64 * 1024 -- the service's limit
local depthMax = 16
local levels = { debug = true, info = true, warn = true, error = true }

-- Replaces bytes that are not valid UTF-8, such as the end of a name that was cut, because the service would refuse the whole entry.
local function repair(text)
  if utf8.len(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    local _, wrong = utf8.len(text, at)
    parts[#parts + 1] = text:sub(at, (wrong or #text + 1) - 1)
    if wrong then parts[#parts + 1] = '\u{FFFD}' end
    at = (wrong or #text) + 1
  end
  return table.concat(parts)
end

-- True if JSON can represent the table as a list.
local function isList(value)
  local count, last = 0, 0
  for key in pairs(value) do
    if math.type(key) ~= 'integer' or key < 1 then return false end
    count, last = count + 1, math.max(last, key)
  end
  return count > 0 and count == last
end

-- Keeps numbers, strings and booleans. Functions, vectors and handles become strings, and so do keys unless the table is a list.
local function simplify(value, depth, seen)
  local kind = type(value)
  if kind == 'number' then return value == value and value ~= math.huge and value ~= -math.huge and value or tostring(value) end
  if kind == 'boolean' then return value end
  if kind ~= 'table' then return repair(tostring(value)) end
  if depth > depthMax or seen[value] then return '…' end
  seen[value] = true
  local copy = {}
  local hasNames = depth == 1 or not isList(value) -- metadata itself is never a list
  for key, inner in pairs(value) do
    copy[hasNames and repair(tostring(key)) or key] = simplify(inner, depth + 1, seen)
  end
  seen[value] = nil
  return copy
end

-- Converts a table of metadata to what JSON can represent.
function Tapedeck.simplify(metadata) return simplify(metadata, 1, {}) end

-- Cuts long texts without splitting a character.
local function cut(text)
  if #text <= messageBytesMax then return text end
  local last = messageBytesMax
  while last > 0 and (text:byte(last + 1) or 0) & 0xC0 == 0x80 do last = last - 1 end
  return text:sub(1, last)
end

-- Returns nil if it cannot be written as JSON.
function Tapedeck.writeEntry(entry)
  local metadata = type(entry.metadata) == 'table' and Tapedeck.simplify(entry.metadata) or nil
  local level = tostring(entry.level or 'info'):lower()
  if level == 'warning' then level = 'warn' end
  if not levels[level] then
    metadata = metadata or {}
    metadata.level = metadata.level or repair(level)
    level = 'info'
  end
  local isWritten, text = pcall(json.encode, {
    level = level,
    message = cut(repair(tostring(entry.message))),
    metadata = metadata,
    resource = entry.resource and repair(entry.resource),
    timestamp = entry.timestamp,
  })
  return isWritten and type(text) == 'string' and text or nil
end

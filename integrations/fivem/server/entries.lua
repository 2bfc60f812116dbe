-- Turns what a script says into the JSON text of an entry, at once: a table that changes later does not change the entry.
local messageBytesMax = 64 * 1024 -- what the service takes
local depthMax = 16
local levels = { debug = true, info = true, warn = true, error = true }

-- Numbers, texts and flags stay; functions, vectors and handles become texts. Keys become texts unless the table is a list.
local function simplify(value, depth, seen)
  local kind = type(value)
  if kind == 'number' then return value == value and value ~= math.huge and value ~= -math.huge and value or tostring(value) end
  if kind == 'string' or kind == 'boolean' then return value end
  if kind ~= 'table' then return tostring(value) end
  if depth > depthMax or seen[value] then return '…' end
  seen[value] = true
  local copy = {}
  local isList = #value > 0
  for key, inner in pairs(value) do
    copy[isList and math.type(key) == 'integer' and key or tostring(key)] = simplify(inner, depth + 1, seen)
  end
  seen[value] = nil
  return copy
end

-- Cut between characters.
local function cut(text)
  if #text <= messageBytesMax then return text end
  local last = messageBytesMax
  while last > 0 and (text:byte(last + 1) or 0) & 0xC0 == 0x80 do last = last - 1 end
  return text:sub(1, last)
end

-- nil where it cannot be written.
function Tapedeck.writeEntry(entry)
  local metadata = type(entry.metadata) == 'table' and simplify(entry.metadata, 1, {}) or nil
  local level = tostring(entry.level or 'info'):lower()
  if level == 'warning' then level = 'warn' end
  if not levels[level] then
    metadata = metadata or {}
    metadata.level = metadata.level or level
    level = 'info'
  end
  local isWritten, text = pcall(json.encode, {
    level = level,
    message = cut(tostring(entry.message)),
    metadata = metadata,
    resource = entry.resource,
    timestamp = entry.timestamp,
  })
  return isWritten and type(text) == 'string' and text or nil
end

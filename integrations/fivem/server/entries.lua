-- Turns what a script says into the JSON text of an entry, at once: a table that changes later does not change the entry.
local messageBytesMax = 64 * 1024 -- what the service takes
local depthMax = 16
local levels = { debug = true, info = true, warn = true, error = true }

-- Bytes that make no character, such as the end of a name that was cut, would cost the whole entry.
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

-- JSON has no table that is a list and more.
local function isList(value)
  local count, last = 0, 0
  for key in pairs(value) do
    if math.type(key) ~= 'integer' or key < 1 then return false end
    count, last = count + 1, math.max(last, key)
  end
  return count > 0 and count == last
end

-- Numbers, texts and flags stay; functions, vectors and handles become texts. Keys become texts unless the table is a list.
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

-- What JSON can hold of a table of metadata.
function Tapedeck.simplify(metadata) return simplify(metadata, 1, {}) end

-- Cut between characters.
local function cut(text)
  if #text <= messageBytesMax then return text end
  local last = messageBytesMax
  while last > 0 and (text:byte(last + 1) or 0) & 0xC0 == 0x80 do last = last - 1 end
  return text:sub(1, last)
end

-- nil where it cannot be written.
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

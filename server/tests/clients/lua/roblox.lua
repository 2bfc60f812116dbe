-- A Roblox server as far as a script sees it: functions that yield, 500 requests a minute, bodies of 1 MB.
local module, testFile = arg[1], arg[2]
local platform = dofile(arg[0]:gsub('[^/]+$', 'platform.lua'))
local load = assert(loadfile(module))
local test = assert(loadfile(testFile))
platform.close()

local requestsPerMinuteMax, bodyBytesMax = 500, 1000 * 1000
local closing, requestedAt, warned = {}, {}, {}
local guids = 0
local http = {}

local function resume(thread, ...)
  local isGood, reason = coroutine.resume(thread, ...)
  if not isGood then error(reason, 0) end
end

task = {
  spawn = function(work, ...) resume(coroutine.create(work), ...) end,
  wait = function(seconds)
    local thread = coroutine.running()
    assert(coroutine.isyieldable(), 'only threads of the engine may wait')
    platform.after(math.floor((seconds or 0) * 1000), function() resume(thread) end)
    coroutine.yield()
  end,
}
task.delay = function(seconds, work) platform.after(math.floor(seconds * 1000), function() task.spawn(work) end) end

function warn(...) warned[#warned + 1] = table.concat({ ... }, ' ') end
function os.time() return platform.unixSeconds() end
function os.clock() return platform.nowMs() / 1000 end

function http:JSONEncode(value) return platform.encode(value) end
function http:JSONDecode(text) return platform.decode(text) end
function http:GenerateGUID()
  guids = guids + 1
  return ('%08x-%04x-4000-8000-%012x'):format(math.random(0, 0x7fffffff), math.random(0, 0xffff), guids)
end

function http:RequestAsync(request)
  assert(coroutine.isyieldable(), 'RequestAsync yields')
  for index = #requestedAt, 1, -1 do
    if platform.nowMs() - requestedAt[index] >= 60000 then table.remove(requestedAt, index) end
  end
  requestedAt[#requestedAt + 1] = platform.nowMs()
  if #requestedAt > requestsPerMinuteMax then error('Number of requests exceeded limit') end
  if #(request.Body or '') > bodyBytesMax then error('Post data too large. Limit: 1 MB.') end
  for name, value in pairs(request.Headers) do assert(type(name) == 'string' and type(value) == 'string') end
  task.wait(0.02)
  local answer = platform.request({ url = request.Url, method = request.Method, body = request.Body or '', headers = request.Headers })
  if not answer then
    task.wait(60)
    error('HttpError: Timedout')
  end
  local isGood = answer.status >= 200 and answer.status < 300
  return { Success = isGood, StatusCode = answer.status, StatusMessage = '', Headers = answer.headers, Body = answer.body }
end

game = { Name = 'Harbour', GameId = 42, JobId = 'job-1' }
function game:GetService(name)
  assert(name == 'HttpService')
  return http
end
function game:BindToClose(work) closing[#closing + 1] = work end

engine = { run = platform.run, report = platform.report, warned = warned, nowMs = platform.nowMs }
function engine.close()
  for _, work in ipairs(closing) do task.spawn(work) end
  platform.run(platform.nowMs() + 30000)
end

Tapedeck = load()
test()

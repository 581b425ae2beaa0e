/**
 * The one script that reads and changes histories in a Redis. All of a call is one run of it, and Redis runs one at a time: no two
 * gateways get the last one. It does what `runtime/history/key-state.ts` does, and says what a bucket is in the same words.
 *
 *   KEYS[1]   the latest time that was seen
 *   KEYS[2…]  a hash a limit; then, for an approval, the text of its nonce, and that of the call; for `release`, its own name last
 *   ARGV      what to do (`reserve`, `release`, `commit`), and the call as JSON
 *
 *   of a hash:  w = width of a bucket, l = limit, g = the call that began it, b:<place> = calls:sum, n:<tool> = began:last, s:<tool> = last success
 *
 * Numbers are doubles in Lua, and whole below 2^53: they are written with every digit.
 */
export const SCRIPT = `
local BUCKETS, STANDS_STILL, GIVEN_BACK = 64, 1000, 60000
local function text(n) return string.format('%.0f', n) end
local action, asked = ARGV[1], cjson.decode(ARGV[2])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local latest = tonumber(redis.call('GET', KEYS[1]) or '0')
-- Once a second. An evicted key is a fresh budget.
if action == 'reserve' and math.floor(now / 1000) ~= math.floor(latest / 1000) then
  local policy = string.match(redis.call('INFO', 'memory'), 'maxmemory_policy:([%w-]+)') or 'unknown'
  if policy ~= 'noeviction' then
    return redis.error_reply('ERR keys may be evicted: maxmemory-policy is ' .. policy .. ', and has to be noeviction')
  end
end
local back = false
if now >= latest then
  redis.call('SET', KEYS[1], text(now))
elseif latest - now <= STANDS_STILL then
  now = latest
else
  back = true
end
latest = math.max(now, latest)

local function placeOf(at, width)
  if width == 0 then return 0 end
  return math.floor(at / width)
end

-- The state of a key as this use sees it: without what has left, in buckets of the limit as it is now.
local function load(key, use)
  local flat = redis.call('HGETALL', key)
  local fields, before = {}, 0
  local state = { rows = {}, began = {}, succeeded = {}, fields = fields }
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
    if flat[i] == 'w' then before = tonumber(flat[i + 1]) end
  end
  state.began_by = fields.g or asked.by
  -- In the buckets of this limit, what another one counts would be forgotten.
  if fields.l and fields.l ~= use.id then error("the key is another limit's") end
  local first = placeOf(now, use.width) - BUCKETS + 1
  for field, value in pairs(fields) do
    local kind, name = string.sub(field, 1, 2), string.sub(field, 3)
    if kind == 'b:' then
      local calls, sum = string.match(value, '^(%d+):(%d+)$')
      local place = tonumber(name)
      if not (calls and place) then error('the key holds no history') end
      if before ~= use.width then
        local last = now
        if before > 0 then last = math.max(math.min(now, (place + 1) * before - 1), place * before) end
        place = placeOf(last, use.width)
      end
      if use.width == 0 or place >= first then
        local row = state.rows[place] or { 0, 0 }
        state.rows[place] = { row[1] + tonumber(calls), row[2] + tonumber(sum) }
      end
    elseif kind == 'n:' then
      local count, last = string.match(value, '^(%d+):(%d+)$')
      if not count then error('the key holds no history') end
      state.began[name] = { tonumber(count), tonumber(last) }
    elseif kind == 's:' then
      local at = tonumber(value)
      if not (use.remember and now - at > use.remember) then state.succeeded[name] = at end
    end
  end
  return state
end

local function placesOf(state)
  local places = {}
  for place in pairs(state.rows) do places[#places + 1] = place end
  table.sort(places)
  return places
end

-- When all of it has left; nil for never.
local function expiryOf(state, use, places)
  if next(state.began) ~= nil or (use.width == 0 and #places > 0) then return nil end
  local last = 0
  if #places > 0 then last = (places[#places] + BUCKETS) * use.width end
  for _, at in pairs(state.succeeded) do
    if not use.remember then return nil end
    last = math.max(last, at + use.remember + 1)
  end
  return last
end

-- A script that fails in the middle is not taken back, as where a cluster's slot moves: what is kept is never deleted before it is
-- written. Lua takes some thousand words in one call, and a limit may name more tools.
local function send(command, key, words)
  for at = 1, #words, 1000 do
    redis.call(command, key, unpack(words, at, math.min(at + 999, #words)))
  end
end

local function save(key, use, state)
  local places = placesOf(state)
  local written = { 'w', text(use.width), 'l', use.id, 'g', state.began_by }
  for _, place in ipairs(places) do
    local row = state.rows[place]
    written[#written + 1] = 'b:' .. text(place)
    written[#written + 1] = text(row[1]) .. ':' .. text(row[2])
  end
  for tool, began in pairs(state.began) do
    written[#written + 1] = 'n:' .. tool
    written[#written + 1] = text(began[1]) .. ':' .. text(began[2])
  end
  for tool, at in pairs(state.succeeded) do
    written[#written + 1] = 's:' .. tool
    written[#written + 1] = text(at)
  end
  if #written == 6 then
    redis.call('DEL', key)
    return
  end
  send('HSET', key, written)
  local left, gone = state.fields, {}
  for at = 1, #written, 2 do left[written[at]] = nil end
  for field in pairs(left) do gone[#gone + 1] = field end
  send('HDEL', key, gone)
  local expires = expiryOf(state, use, places)
  if expires then redis.call('PEXPIREAT', key, text(expires + STANDS_STILL)) else redis.call('PERSIST', key) end
end

local function holds(use, calls, sum)
  return (not use.maxCalls or calls + 1 <= use.maxCalls) and (not use.of or sum + use.of <= use.atMost)
end

local function counts(use)
  return use.maxCalls ~= nil or use.of ~= nil
end

if action == 'release' then
  -- A client that loses its connection asks again: nothing is given back twice, nor long after.
  if latest - asked.latest > GIVEN_BACK then return 'OK' end
  if not redis.call('SET', KEYS[#KEYS], '1', 'NX', 'PX', text(GIVEN_BACK + STANDS_STILL)) then return 'OK' end
  for i, use in ipairs(asked.limits) do
    local state = load(KEYS[i + 1], use)
    -- What was cleared meanwhile, and begun by another call, stays that one's.
    local row = state.began_by == use.beganBy and state.rows[use.place]
    local of = use.of or 0
    if counts(use) and row and row[1] >= 1 and row[2] >= of then
      row[1], row[2] = row[1] - 1, row[2] - of
      if row[1] == 0 then state.rows[use.place] = nil end
    end
    local began = state.began_by == use.beganBy and use.begins and state.began[use.begins]
    if began and began[1] > 1 then
      began[1] = began[1] - 1
    elseif began then
      state.began[use.begins] = nil
    end
    save(KEYS[i + 1], use, state)
  end
  -- Where it was forgotten meanwhile, and is used by another call, it stays that one's.
  local nonceKey = KEYS[#asked.limits + 2]
  if asked.nonce and redis.call('GET', nonceKey) == text(asked.nonce.keepUntil) .. ':' .. asked.by then
    redis.call('DEL', nonceKey)
  end
  return 'OK'
end

if action == 'commit' then
  for i, use in ipairs(asked.limits) do
    if use.succeeds then
      local state = load(KEYS[i + 1], use)
      state.succeeded[use.succeeds] = math.max(now, state.succeeded[use.succeeds] or 0)
      save(KEYS[i + 1], use, state)
    end
  end
  return 'OK'
end

local free, states, facts = true, {}, {}
for i, use in ipairs(asked.limits) do
  local state = load(KEYS[i + 1], use)
  local places = placesOf(state)
  local forgets = use.width > 0 or (use.remember and #use.after > 0)
  local ahead = use.width > 0 and #places > 0 and places[#places] > placeOf(now, use.width)
  local known = not (back and forgets) and not ahead
  local calls, sum = 0, 0
  for _, place in ipairs(places) do
    calls, sum = calls + state.rows[place][1], sum + state.rows[place][2]
  end
  local fits = holds(use, calls, sum)
  local freeAt = ''
  if not fits and use.width > 0 then
    local c, s = calls, sum
    for _, place in ipairs(places) do
      c, s = c - state.rows[place][1], s - state.rows[place][2]
      if holds(use, c, s) then
        freeAt = text((place + BUCKETS) * use.width)
        break
      end
    end
  end
  local lasts = {}
  for _, tool in ipairs(use.after) do
    lasts[#lasts + 1] = text(state.succeeded[tool] or -1)
  end
  for _, tool in ipairs(use.never) do
    local began = state.began[tool]
    local at = math.max(began and began[2] or -1, state.succeeded[tool] or -1)
    lasts[#lasts + 1] = text(at)
  end
  facts[i] = { known and '1' or '0', text(calls), text(math.min(sum, 9007199254740991)), freeAt, lasts }
  states[i] = state
  free = free and known and fits
end

local used, refused = '', ''
if asked.nonce then
  if back then return redis.error_reply('ERR the clock went back') end
  local nonceKey, callKey = KEYS[#asked.limits + 2], KEYS[#asked.limits + 3]
  if asked.nonce.isRefusal then
    local till = math.max(asked.nonce.keepUntil, tonumber(redis.call('GET', callKey) or '0'))
    redis.call('SET', callKey, text(till))
    redis.call('PEXPIREAT', callKey, text(till + STANDS_STILL))
  end
  local kept = string.match(redis.call('GET', nonceKey) or '-1', '^[^:]*')
  used = tonumber(kept) >= now and '1' or '0'
  refused = tonumber(redis.call('GET', callKey) or '-1') >= now and '1' or '0'
  free = free and used == '0' and refused == '0'
end

local places = {}
if free then
  for i, use in ipairs(asked.limits) do
    local state = states[i]
    local place = placeOf(now, use.width)
    if counts(use) then
      local row = state.rows[place] or { 0, 0 }
      state.rows[place] = { row[1] + 1, row[2] + (use.of or 0) }
    end
    if use.begins then
      local began = state.began[use.begins] or { 0, 0 }
      state.began[use.begins] = { began[1] + 1, now }
    end
    save(KEYS[i + 1], use, state)
    places[i] = { text(place), state.began_by }
  end
  if asked.nonce then
    local nonceKey = KEYS[#asked.limits + 2]
    redis.call('SET', nonceKey, text(asked.nonce.keepUntil) .. ':' .. asked.by)
    redis.call('PEXPIREAT', nonceKey, text(asked.nonce.keepUntil + STANDS_STILL))
  end
end
return { text(now), free and '1' or '0', used, refused, facts, places, text(latest) }
`;

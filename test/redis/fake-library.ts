import { commands } from "../../src/core/commands/index.ts";
import type { CommandName } from "../../src/engine.ts";
import type { Artefacts, Kind } from "../../src/redis/artefacts.ts";

/**
 * A stand-in for the built library: counts `put`s, remembers request ids, announces, refuses.
 *
 * It lets these tests choose its version, and know how often a command was carried out.
 */
const BODY = `
local run = {}
function run.put(namespace, when, args)
  local request = string.match(when, '@(.+)$')
  if request then
    local known = redis.call('GET', namespace .. ':r:' .. request)
    if known then return tonumber(known) end
  end
  local count = redis.call('INCR', namespace .. ':n')
  if request then redis.call('SET', namespace .. ':r:' .. request, count) end
  local verb = string.sub(namespace, 1, 1) == '{' and 'SPUBLISH' or 'PUBLISH'
  redis.call(verb, namespace .. ':log', args[1] or '')
  return count
end
function run.complete(namespace, when, args)
  return redis.call('INCR', namespace .. ':complete')
end
function run.get(namespace, when, args)
  if args[1] == 'refused' then return redis.error_reply('NO_SUCH_JOB refused') end
  if args[1] == 'broken' then return redis.error_reply('ERR broken in the middle') end
  return { redis.call('GET', namespace .. ':n'), VERSION, { args[1] or false } }
end
`;

const FUNCTIONS = `
redis.register_function{function_name='qless_version', flags={'no-writes'},
  callback=function() return VERSION .. ' ' .. HASH end}
redis.register_function{function_name='qless_put',
  callback=function(keys, args) return run.put(keys[1], table.remove(args, 1), args) end}
redis.register_function{function_name='qless_complete', flags={'allow-oom'},
  callback=function(keys, args) return run.complete(keys[1], table.remove(args, 1), args) end}
redis.register_function{function_name='qless_get', flags={'no-writes'},
  callback=function(keys, args) return run.get(keys[1], table.remove(args, 1), args) end}
`;

const SCRIPT = `
local command, when = ARGV[1], ARGV[2]
local args = {}
for i = 3, #ARGV do args[#args + 1] = ARGV[i] end
if not run[command] then return redis.error_reply('UNKNOWN_COMMAND ' .. command) end
return run[command](KEYS[1], when, args)
`;

/** How the core says that its commands are to be treated. */
export const KINDS = Object.fromEntries(
  Object.entries(commands).map(([name, { writes, frees }]): [string, Kind] => [
    name,
    !writes ? "reading" : frees ? "freeing" : "writing",
  ]),
) as Record<CommandName, Kind>;

/** Artefacts of a library that says it is of this version and hash. */
export function fakeArtefacts(version = "1.0.0", hash = "abc"): Artefacts {
  const head = `local VERSION, HASH = '${version}', '${hash}'\n${BODY}`;
  return {
    functions: `#!lua name=qless\n${head}${FUNCTIONS}`,
    script: `${head}${SCRIPT}`,
    manifest: { version, hash },
    kinds: KINDS,
  };
}
